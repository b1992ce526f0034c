// The page loads this file, so it imports nothing that needs Node.
import type { ComparedFigure, ExperimentsSeen } from "./figures.ts";

/** The counts of a replay. */
export interface ReplaySummary {
  readonly calls: number;
  readonly same: number;
  readonly flips: number;
  /** The number of flips of each kind, such as `deny → allow`. */
  readonly by_kind: Readonly<Record<string, number>>;
  readonly not_replayable: number;
}

/** Two versions compared over recorded runs. */
export interface ComparedReplay {
  /** How many runs have a decision that could be made again. */
  readonly runs: number;
  readonly summary: ReplaySummary;
  readonly figures: readonly ComparedFigure[];
}

/** A recorded decision about which two versions differ. Everything in it may have been written by an agent. */
export interface ReplayedChange {
  readonly run: string;
  readonly sequence: number;
  readonly tool: string;
  readonly summary: string;
  readonly a: { readonly effect: string; readonly by: string };
  readonly b: { readonly effect: string; readonly by: string };
}

/** The progress of a replay of two versions. */
export interface ReplaySeen {
  /** The versions, as the command line names them. */
  readonly a: string;
  readonly b: string;
  /** The limits of the replay, as the command line gives them; `null` without one. */
  readonly run: string | null;
  readonly since: string | null;
  /** When it began, in RFC 3339 format. Later events are not replayed. */
  readonly begun: string;
  /** The first of the decisions that change. */
  readonly changes: readonly ReplayedChange[];
  /** Why it ended before it was done; `null` if it did not. */
  readonly error: string | null;
  /** `null` until it is done. */
  readonly compared: ComparedReplay | null;
}

/** What the page shows of experiments. `replay`: `null` unless the command that serves the page names two versions. */
export interface ExperimentsPage extends ExperimentsSeen {
  readonly replay?: ReplaySeen | null;
}

/** A count with its noun: `1 call`, `2 calls`. */
const counted = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? "" : "s"}`;

/** The counts of a replay in one line. */
export function summaryText(
  { calls, same, flips, by_kind, not_replayable }: ReplaySummary,
  noun: string,
): string {
  const kinds = Object.entries(by_kind).map(([kind, times]) => `${kind} ${times}`);
  const parts = [
    `${same} the same`,
    `${counted(flips, "flip")}${kinds.length === 0 ? "" : ` (${kinds.join(", ")})`}`,
    ...(not_replayable > 0 ? [`${not_replayable} not replayable`] : []),
  ];
  return `${counted(calls, noun)}: ${parts.join(", ")}`;
}

/** What the figures of a replay are counted over. */
export const replayTitle = ({ runs }: Pick<ComparedReplay, "runs">): string =>
  `Per run, over ${counted(runs, "run")}`;
