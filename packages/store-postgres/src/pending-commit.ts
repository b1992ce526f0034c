import type { LogEvent } from "@bylaw/kernel";
import { checkedEventBody, expiryOf, type EventBody } from "@bylaw/log";
import type { Commit, DocumentWrite, Receipt } from "@bylaw/store";
import type { LongNames } from "./long-names.ts";
import { keyOf, toStored } from "./names.ts";

/** A commit that waits to be written. It holds copies, so that the caller cannot change it. */
export interface PendingCommit {
  readonly run: string;
  /** The database key of the run. */
  readonly key: string;
  readonly bodies: readonly EventBody[];
  readonly documents: readonly object[];
  readonly task: object | undefined;
  readonly request: string | undefined;
  readonly seen: number;
  readonly admit: Commit["admit"];
  /** The events after `seen` that the database has returned so far, in order. */
  known: readonly LogEvent[];
  /** Whether the request id is known to be new, so that `admit` may be asked. */
  checked: boolean;
  /** How often the head had moved when the commit was about to be written. */
  attempts: number;
  readonly receipt: Promise<Receipt>;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates a pending commit from one that `checkCommit` returned. Throws BYLAW_COMMIT_INVALID for an event that is too large. */
export function pendingCommit(
  { run, events, documents = [], task, request_id, seen, admit }: Commit,
  names: LongNames,
): PendingCommit {
  const { promise, resolve, reject } = Promise.withResolvers<Receipt>();
  return {
    run,
    bodies: events.map(checkedEventBody),
    key: names.keep(run),
    documents: documents.map(documentOf),
    task: task === undefined ? undefined : taskOf(task, names),
    request: request_id === undefined ? undefined : keyOf(request_id),
    seen,
    admit,
    known: [],
    checked: false,
    attempts: 0,
    receipt: promise,
    resolve,
    reject,
  };
}

/** The sequence of the last event that the writer of a commit knows. */
export const lastKnown = ({ known, seen }: PendingCommit): number => known.at(-1)?.sequence ?? seen;

/** A document in the form that the database functions take. */
export const documentOf = ({ kind, id, value, if_version, expires_at }: DocumentWrite): object => ({
  kind: keyOf(kind),
  id: keyOf(id),
  value: value === null ? null : toStored(value),
  ...(if_version === undefined ? {} : { version: if_version }),
  ...(expires_at === undefined ? {} : { expires: expiryOf(expires_at) }),
});

function taskOf(
  { id, fence, lease_ms, set }: NonNullable<Commit["task"]>,
  names: LongNames,
): object {
  const { state, queue, phase, owner } = set ?? {};
  return {
    id: names.keep(id),
    fence,
    ...(lease_ms === undefined ? {} : { lease: lease_ms }),
    ...(state === undefined ? {} : { state }),
    ...(queue === undefined ? {} : { queue: keyOf(queue) }),
    ...(phase === undefined ? {} : { phase: toStored(phase) }),
    ...(owner === undefined ? {} : { owner: owner === null ? null : toStored(owner) }),
  };
}
