import { useEffect, useState } from "preact/hooks";
import {
  changesText,
  figureRows,
  tasksText,
  type ComparedExperiment,
  type ExperimentsSeen,
} from "../src/experiments/figures.ts";
import type { ExperimentsPage } from "../src/experiments/replay.ts";
import { get } from "./api.ts";
import { Replay } from "./replay.tsx";
import { shown } from "./shown.ts";
import { FigureTable } from "./table.tsx";
import { Text } from "./text.tsx";

/** How often the experiments are read again, in milliseconds, and while a replay is not done. */
const EVERY_MS = 10_000;
const REPLAY_MS = 1_000;

/** The two versions of each experiment, side by side. */
export function Experiments() {
  const [seen, setSeen] = useState<ExperimentsPage>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    let timer = 0;
    const read = (): void => {
      void get<ExperimentsPage>("experiments", {}, ended.signal)
        .then((answer) => {
          setSeen(answer);
          setError(undefined);
          return waitAfter(answer);
        })
        .catch((failure: Error) => {
          if (!ended.signal.aborted) setError(failure.message);
          return EVERY_MS;
        })
        .then((wait) => {
          if (!ended.signal.aborted) timer = setTimeout(read, wait);
        });
    };
    read();
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, []);
  const { replay = null } = seen ?? {};
  return (
    <div class="scroll">
      <p>
        An experiment decides some tasks under version a of a policy and others under version b.
        What happened to them is compared here.
      </p>
      {error !== undefined && <p class="error">{error}</p>}
      {replay !== null && <Replay seen={replay} />}
      {seen !== undefined && (
        <>
          <Reached seen={seen} />
          {seen.experiments?.length === 0 && <p>No task was assigned to an experiment yet.</p>}
          {seen.experiments?.map((one) => (
            <Experiment key={one.experiment} compared={one} />
          ))}
        </>
      )}
    </div>
  );
}

function waitAfter({ experiments, replay }: ExperimentsPage): number {
  if (experiments === null) return 0;
  const isReplaying = replay?.compared === null && replay.error === null;
  return isReplaying ? REPLAY_MS : EVERY_MS;
}

interface ReachedProps {
  readonly seen: ExperimentsSeen;
}

/** How far the store was read, and what was left out. */
function Reached({ seen }: ReachedProps) {
  const { runs, events, most_tasks, broken, experiments } = seen;
  const isPart = runs.counted < runs.all || most_tasks !== null;
  return (
    <div role="status">
      <p>
        {experiments === null
          ? `Reading: ${numberText(events.read)} of ${numberText(events.all)} events`
          : `Over ${numberText(events.all)} events`}{" "}
        of {runs.all === 1 ? "1 run" : `${numberText(runs.counted)} runs`}.
        {runs.counted < runs.all &&
          ` Only the latest ${numberText(runs.counted)} of ${numberText(runs.all)} runs count.`}
        {most_tasks !== null &&
          ` Only the latest ${numberText(most_tasks)} tasks of a version count.`}
        {isPart && (
          <>
            {" "}
            <code>bylaw experiment compare</code> counts all.
          </>
        )}
      </p>
      {broken.map((why) => (
        <p key={why} class="error">
          <Text>{why}</Text>
        </p>
      ))}
    </div>
  );
}

const numberText = (number: number): string => number.toLocaleString("en");

function Experiment({ compared }: { readonly compared: ComparedExperiment }) {
  const { experiment, figures } = compared;
  return (
    <section>
      <h2>
        <Text>{experiment}</Text>
      </h2>
      <p>Figures are {tasksText(compared)}.</p>
      <FigureTable label={`Figures of ${shown(experiment)}`} rows={figureRows(figures)} />
      {changesText(compared).map((change) => (
        <p key={change}>Note: {change}.</p>
      ))}
    </section>
  );
}
