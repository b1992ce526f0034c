import type { LogEvent } from "@bylaw/kernel";
import { checkedEventBody, type EventBody } from "@bylaw/log";
import type { Commit, Receipt } from "@bylaw/store";
import type { LongNames } from "./long-names.ts";
import { keyOf } from "./names.ts";

/** A commit that waits to be written. */
export interface PendingCommit {
  readonly commit: Commit;
  readonly bodies: readonly EventBody[];
  /** The database key of the run. */
  readonly run: string;
  /** The database key of the task, if the commit writes one. */
  readonly task: string | undefined;
  /** The database key of the request id, if the commit has one. */
  readonly request: string | undefined;
  /** The events after `seen` that the database has returned so far, in order. */
  known: readonly LogEvent[];
  /** The batches whose answer was lost. One of them may have written this commit. */
  readonly attempts: Attempt[];
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

/** What a batch added to the log if it was written. */
interface Attempt {
  readonly batch: string;
  /** The sequence of the last event that the batch adds to the run. */
  readonly last: number;
  /** The events of the commit. */
  readonly events: readonly LogEvent[];
}

/** Creates a pending commit from one that `checkCommit` returned. Throws BYLAW_COMMIT_INVALID for an event that is too large. */
export function pendingCommit(
  commit: Commit,
  names: LongNames,
): Omit<PendingCommit, "resolve" | "reject"> {
  const { run, events, task, request_id } = commit;
  return {
    commit,
    bodies: events.map(checkedEventBody),
    run: names.keep(run),
    task: task && names.keep(task.id),
    request: request_id === undefined ? undefined : keyOf(request_id),
    known: [],
    attempts: [],
  };
}

/** The sequence of the last event that the writer of a commit knows. */
export const lastKnown = ({
  known,
  commit: { seen },
}: Pick<PendingCommit, "known" | "commit">): number => known.at(-1)?.sequence ?? seen;
