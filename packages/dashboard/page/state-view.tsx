import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { RunOverview } from "../src/overview.ts";
import { get } from "./api.ts";
import { timeText } from "./shown.ts";
import { Text } from "./text.tsx";

interface Chain {
  readonly verified: number;
  readonly head: number;
  readonly broken: string | null;
}

/** The state of a run, as the server tells it. */
export type RunState = RunOverview & { readonly chain: Chain };

/** What a section of a state gets. */
export interface SectionProps {
  readonly state: RunState;
  /** Whether it is the present state, and not an earlier one. */
  readonly isPresent: boolean;
}

/** How often the present state is read again, in milliseconds. */
const EVERY_MS = 5_000;

interface StateViewProps {
  readonly run: string | undefined;
  readonly sections: readonly ComponentType<SectionProps>[];
  /** The sequence of the event after which to show the state; empty for the present one. */
  readonly at: string;
  readonly onAt: (at: string) => void;
}

/** Sections about the state of a run, now or as it was after an event. */
export function StateView({ run, sections, at, onAt }: StateViewProps) {
  const [state, setState] = useState<RunState>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    const read = (): void => {
      get<RunState>("overview", { run, at }, ended.signal)
        .then((read) => {
          setState(read);
          setError(undefined);
        })
        .catch((failure: Error) => !ended.signal.aborted && setError(failure.message));
    };
    read();
    const timer = at === "" ? setInterval(read, EVERY_MS) : undefined;
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [run, at]);
  return (
    <div class="scroll">
      <TimeChoice at={at} state={state} onAt={onAt} />
      {error !== undefined && <p class="error">{error}</p>}
      {state !== undefined && (
        <>
          <Reached state={state} isPresent={at === ""} />
          {sections.map((Section, index) => (
            <Section key={index} state={state} isPresent={at === ""} />
          ))}
        </>
      )}
    </div>
  );
}

interface TimeChoiceProps extends Pick<StateViewProps, "at" | "onAt"> {
  readonly state: RunState | undefined;
}

/** Chooses the event after which the state is shown. */
function TimeChoice({ at, state, onAt }: TimeChoiceProps) {
  const last = state?.chain.head ?? 1;
  const shown = at === "" ? last : Math.min(Number(at), last);
  return (
    <div class="times">
      <label>
        State after event
        <input
          type="number"
          min="1"
          placeholder="the last"
          value={at}
          onChange={({ currentTarget }) => onAt(currentTarget.value)}
        />
      </label>
      <input
        type="range"
        aria-label="Move to an event"
        min={1}
        max={last}
        value={shown}
        onChange={({ currentTarget }) => onAt(currentTarget.value)}
      />
      <button type="button" disabled={shown <= 1} onClick={() => onAt(String(shown - 1))}>
        Earlier
      </button>
      <button type="button" disabled={shown >= last} onClick={() => onAt(String(shown + 1))}>
        Later
      </button>
      <button type="button" disabled={at === ""} onClick={() => onAt("")}>
        Now
      </button>
    </div>
  );
}

function Reached({ state: { head, time, chain }, isPresent }: SectionProps) {
  const isBehind = isPresent && chain.broken === null && head < chain.head;
  return (
    <p role="status">
      {!isPresent && <strong>An earlier state. </strong>}
      Event {head.toLocaleString("en")}
      {time === null ? "" : `, ${timeText(time)}`}. The chain is verified up to event{" "}
      {chain.verified.toLocaleString("en")} of {chain.head.toLocaleString("en")}.
      {isBehind && " The events after it are still being read."}
      {chain.broken !== null && (
        <span class="error">
          {" "}
          <Text>{chain.broken}</Text>
        </span>
      )}
    </p>
  );
}
