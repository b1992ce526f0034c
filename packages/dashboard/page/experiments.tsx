import { useEffect, useState } from "preact/hooks";
import {
  changesText,
  figureRows,
  tasksText,
  type ComparedExperiment,
  type ExperimentsSeen,
} from "../src/experiments/figures.ts";
import { get } from "./api.ts";
import { shown } from "./shown.ts";
import { Table } from "./table.tsx";
import { Text } from "./text.tsx";

/** How often the experiments are read again, in milliseconds. */
const EVERY_MS = 10_000;

const HEADS = ["Figure", "a", "b", "b - a", "95 % interval", "Verdict"];

/** The two versions of each experiment, side by side. */
export function Experiments() {
  const [seen, setSeen] = useState<ExperimentsSeen>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    let timer = 0;
    const read = (): void => {
      void get<ExperimentsSeen>("experiments", {}, ended.signal)
        .then((answer) => {
          setSeen(answer);
          setError(undefined);
          return answer.experiments === null ? 0 : EVERY_MS;
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
  return (
    <div class="scroll">
      <p>
        An experiment decides some tasks under version a of a policy and others under version b.
        What happened to them is compared here.
      </p>
      {error !== undefined && <p class="error">{error}</p>}
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
      <Table label={`Figures of ${shown(experiment)}`} heads={HEADS} rows={figureRows(figures)} />
      {changesText(compared).map((change) => (
        <p key={change}>Note: {change}.</p>
      ))}
    </section>
  );
}
