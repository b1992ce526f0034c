import {
  BylawError,
  freezeJson,
  type EventDraft,
  type JsonObject,
  type LogEvent,
} from "@bylaw/kernel";
import {
  StoreConflict,
  type ClaimRequest,
  type Commit,
  type DocumentWrite,
  type TaskWrite,
} from "@bylaw/store";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
/** The most bytes of an event, so that with sequence and hash it still fits the longest line that log readers accept. */
const LARGEST = 16 * 1_048_576 - 1_024;
const STATES: readonly unknown[] = ["available", "claimed", "done", "failed"];

/**
 * Checks a commit and returns a deep copy, because a store may write it later. Throws BYLAW_COMMIT_INVALID and BYLAW_JSON_INVALID for
 * anything that would not be read back unchanged. For stores.
 */
export function checkCommit(given: Commit): Commit {
  const commit = copyOf(given);
  const { run, events, documents = [], task, request_id, seen } = commit;
  text("run", run);
  if (request_id !== undefined) text("request id", request_id);
  if (!Number.isSafeInteger(seen) || seen < 0)
    refuse(`\`seen\` is ${String(seen)}, but must be a sequence or 0`);
  if (events.length === 0) refuse("A commit needs at least one event");
  for (const document of documents) checkDocument(document);
  if (task !== undefined) checkTask(task);
  return commit;
}

function copyOf({ run, events, documents = [], task, request_id, seen, admit }: Commit): Commit {
  const copy: { -readonly [Key in keyof Commit]: Commit[Key] } = {
    run,
    seen,
    events: events.map(checkedDraft),
    documents: documents.map((document) => ({ ...document })),
  };
  if (request_id !== undefined) copy.request_id = request_id;
  if (admit !== undefined) copy.admit = admit;
  if (task !== undefined)
    copy.task = task.set === undefined ? { ...task } : { ...task, set: { ...task.set } };
  return copy;
}

/** The conflict for a commit whose fence is not that of the task's current claim. For stores. */
export const otherFenceConflict = ({ id, fence }: TaskWrite): StoreConflict =>
  new StoreConflict("fence", `Fence ${fence} does not match the current claim of task \`${id}\``);

/** Throws BYLAW_COMMIT_INVALID for a claim that no store may grant. For stores. */
export function checkClaim({ queue, agent, lease_ms, request_id, seen = 0 }: ClaimRequest): void {
  text("queue", queue);
  text("agent", agent);
  if (request_id !== undefined) text("request id", request_id);
  checkLease(lease_ms);
  if (!Number.isSafeInteger(seen) || seen < 0)
    refuse(`\`seen\` is ${String(seen)}, but must be a sequence or 0`);
}

function checkLease(lease_ms: number): void {
  if (!Number.isSafeInteger(lease_ms) || lease_ms <= 0)
    refuse(`\`lease_ms\` is ${String(lease_ms)}, but must be a whole number from 1`);
}

/** Returns a copy of a draft. Throws BYLAW_COMMIT_INVALID for a bad envelope, and BYLAW_JSON_INVALID for bad details. For stores. */
export function checkedDraft(draft: EventDraft): EventDraft {
  // The copy is checked, not the original, so that nobody can change it after the check.
  const copy = { ...draft, details: freezeJson(draft.details) as JsonObject };
  text("timestamp", copy.timestamp);
  text("session id", copy.session_id);
  text("event type", copy.event_type);
  if (copy.agent_id !== null) text("agent id", copy.agent_id);
  if (copy.task_id !== null) text("task id", copy.task_id);
  return copy;
}

/** Throws BYLAW_COMMIT_INVALID for an event whose chained text is longer than a line of a log may be. For stores. */
export function checkText(chained: string): void {
  // A UTF-16 unit takes at most three bytes.
  if (chained.length * 3 <= LARGEST) return;
  const bytes = Buffer.byteLength(chained);
  if (bytes > LARGEST) refuse(`The event has ${bytes} bytes, but ${LARGEST} is the most`);
}

/**
 * Calls `admit` with the events that its writer has not seen. Throws what it throws, and BYLAW_COMMIT_INVALID if it returns a promise. For
 * stores.
 */
export function runAdmit(admit: Commit["admit"], unseen: () => readonly LogEvent[]): void {
  if (admit === undefined) return;
  const answer: unknown = admit(unseen());
  if (
    answer === undefined ||
    answer === null ||
    typeof (answer as PromiseLike<unknown>).then !== "function"
  )
    return;
  // A rejection of the promise would come after the commit.
  (answer as PromiseLike<unknown>).then(undefined, () => {});
  refuse("`admit` returned a promise, but must be synchronous");
}

/** A time in milliseconds since 1970; `Infinity` for none. Throws BYLAW_COMMIT_INVALID for text that is not an RFC 3339 time. */
export function expiryOf(expires_at: string | undefined): number {
  if (expires_at === undefined) return Infinity;
  const at = TIME.test(expires_at) ? Date.parse(expires_at) : Number.NaN;
  return Number.isNaN(at)
    ? refuse(`\`expires_at\` is \`${expires_at}\`, which is not an RFC 3339 time`)
    : at;
}

/** The error for any call of a store after `close`. */
export const storeClosed = (): BylawError =>
  new BylawError({
    code: "BYLAW_STORE_CLOSED",
    message: "The store is closed",
    fix: "Open it again",
  });

/** Checks a document and returns a copy. Throws BYLAW_COMMIT_INVALID for one that no store may write. For stores. */
export function checkPut(document: DocumentWrite): DocumentWrite {
  const copy = { ...document };
  checkDocument(copy);
  return copy;
}

function checkDocument({ kind, id, value, if_version, expires_at }: DocumentWrite): void {
  text("kind", kind);
  text("document id", id);
  if (value !== null) text("document", value);
  if (if_version !== undefined && (!Number.isSafeInteger(if_version) || if_version < 0))
    refuse(`\`if_version\` is ${String(if_version)}, but must be a whole number from 0`);
  expiryOf(expires_at);
}

function checkTask({ id, fence, lease_ms, set }: TaskWrite): void {
  text("task id", id);
  if (!Number.isSafeInteger(fence))
    refuse(`\`fence\` is ${String(fence)}, but must be the fence of a claim, or 0`);
  if (lease_ms !== undefined) {
    checkLease(lease_ms);
    if (fence === 0) refuse("A new task cannot have a lease: only a claim has one");
    if (set !== undefined && set.state !== "claimed")
      refuse(`A task that becomes ${String(set.state)} cannot have a lease: only a claim has one`);
  }
  if (set === undefined) return;
  if (!STATES.includes(set.state))
    refuse(
      `A task's state cannot be \`${String(set.state)}\`. It must be one of ${STATES.join(", ")}`,
    );
  if (set.queue !== undefined) text("queue", set.queue);
  if (set.phase !== undefined) text("phase", set.phase);
  if (set.owner !== undefined && set.owner !== null) text("owner", set.owner);
}

// UTF-8 turns every lone surrogate into the same character, so two ids could become one.
function text(name: string, value: unknown): void {
  if (typeof value !== "string") refuse(`The ${name} must be text, not ${typeof value}`);
  if (!value.isWellFormed()) refuse(`The ${name} has a lone surrogate, which is not valid Unicode`);
}

function refuse(message: string): never {
  throw new BylawError({ code: "BYLAW_COMMIT_INVALID", message });
}
