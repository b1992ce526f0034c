import type { Commit, DocumentWrite, LogEvent, Receipt } from "@bylaw/kernel";
import { bodyOfChecked, expiryOf, type Body } from "@bylaw/log";
import type { LongNames } from "./long-names.ts";
import { keyOf, toStored } from "./names.ts";

/** A commit on its way into the database. What it holds was copied when it came: nobody changes it on the way. */
export interface Item {
  readonly run: string;
  /** The key of the run. */
  readonly key: string;
  readonly bodies: readonly Body[];
  readonly documents: readonly object[];
  readonly task: object | undefined;
  readonly request: string | undefined;
  readonly seen: number;
  readonly admit: Commit["admit"];
  /** Events after `seen`, in order, as far as the database has told them. */
  known: readonly LogEvent[];
  /** The request id is known not to be on record, so that `admit` may be asked. */
  asked: boolean;
  /** How often the head had moved when it came to be written. */
  attempts: number;
  readonly receipt: Promise<Receipt>;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

/** Of a commit as `checkCommit` leaves it. Throws BYLAW_COMMIT_INVALID for an event that is too large. */
export function itemOf({ run, events, documents = [], task, request_id, seen, admit }: Commit, names: LongNames): Item {
  const { promise, resolve, reject } = Promise.withResolvers<Receipt>();
  return {
    run,
    bodies: events.map(bodyOfChecked),
    key: names.keep(run),
    documents: documents.map(documentOf),
    task: task === undefined ? undefined : taskOf(task, names),
    request: request_id === undefined ? undefined : keyOf(request_id),
    seen,
    admit,
    known: [],
    asked: false,
    attempts: 0,
    receipt: promise,
    resolve,
    reject,
  };
}

const documentOf = ({ kind, id, value, if_version, expires_at }: DocumentWrite): object => ({
  kind: keyOf(kind),
  id: keyOf(id),
  value: value === null ? null : toStored(value),
  ...(if_version === undefined ? {} : { version: if_version }),
  ...(expires_at === undefined ? {} : { expires: expiryOf(expires_at) }),
});

function taskOf({ id, fence, lease_ms, set }: NonNullable<Commit["task"]>, names: LongNames): object {
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
