import { createHash } from "node:crypto";
import {
  canonicalJson,
  omitUndefined,
  type Json,
  type JsonObject,
  type LogEvent,
} from "@bylaw/kernel";
import type { RecordableEvent, Run } from "@bylaw/log";
import type { DocumentWrite, Store } from "@bylaw/store";
import { problem } from "../http/problem.ts";
import {
  idempotentRequest,
  type IdempotentRequest,
  type RepeatableRequest,
} from "./idempotency.ts";
import { overlayRun } from "./overlay-run.ts";

/** A request for a change that its caller may repeat. */
interface ChangeRequest extends RepeatableRequest {
  readonly service: RepeatableRequest["service"] & { readonly run: Run; readonly store: Store };
}

/** A change. */
export interface Change {
  /** Everything that the request asks for. */
  readonly content: Json;
  /** The event types that the change may record: one event of one of them. */
  readonly types: readonly string[];
}

const KIND = "bylaw/change";
/** The most events between the state that a node knew and the event of its change. */
const BETWEEN = 1_000;

/** How to find the event of a change without its content, which may be redacted in the log. */
interface Trace {
  readonly after: number;
  readonly type: string;
  /** Left out if only the event itself has it. */
  readonly agent?: string | null;
  readonly task?: string | null;
  readonly keys: readonly string[];
  readonly digest: string;
}

/**
 * Makes a change through the run that `make` gets, and resolves to its event. A repeated request resolves to the same event and changes
 * nothing. Throws what `make` throws, and the problem of an id that was used for another request.
 */
export async function changeOnce(
  request: ChangeRequest,
  { types, content }: Change,
  make: (run: Run) => Promise<unknown>,
): Promise<LogEvent> {
  const { service } = request;
  const named = await idempotentRequest(request, content);
  if (named?.known === true) return await eventOf(service, named);
  const noting = recordingRun(service.run, types, named);
  try {
    await make(noting.run);
    const event = noting.recorded();
    if (event !== undefined) return event;
  } catch (error) {
    // The same request may have been faster, possibly on another node.
    const again = await idempotentRequest(request, content);
    if (again?.known !== true) throw error;
    return await eventOf(service, again);
  }
  throw new Error(`The change recorded none of these events: ${types.join(", ")}`);
}

/** What is known of an event before it is recorded. */
type Noted = Pick<RecordableEvent, "event_type" | "details"> & Partial<RecordableEvent>;

/** The run that `make` gets. With an event of these types, it also writes that the request was made, and how to find the event. */
function recordingRun(run: Run, types: readonly string[], named: IdempotentRequest | undefined) {
  let event: LogEvent | undefined;
  const note = (
    drafts: readonly Noted[],
    documents: readonly DocumentWrite[] = [],
  ): readonly DocumentWrite[] => {
    const draft = drafts.find(({ event_type }) => types.includes(event_type));
    if (named === undefined || draft === undefined) return documents;
    const [{ expires_at } = {}] = named.documents;
    const trace = {
      kind: KIND,
      id: named.name,
      value: JSON.stringify(traceOf(run.head, draft)),
      ...(expires_at && { expires_at }),
    };
    return [...documents, ...named.documents.map((one) => ({ ...one, if_version: 0 })), trace];
  };
  const noteEvent = (events: readonly LogEvent[]): readonly LogEvent[] => {
    event = events.find(({ event_type }) => types.includes(event_type)) ?? event;
    return events;
  };
  const record: Run["record"] = async (given, options = {}) =>
    noteEvent(await run.record(given, { ...options, documents: note(given, options.documents) }));
  const approve: Run["approve"] = async (request, options = {}) => {
    const { subject, by, expires_at } = request;
    const { agent = null, task = null } = subject;
    const draft = {
      event_type: "approval_granted",
      agent_id: agent,
      task_id: task,
      details: { by, expires_at },
    };
    return noteEvent(
      await run.approve(request, { ...options, documents: note([draft], options.documents) }),
    );
  };
  const refuse: Run["refuse"] = async (request, options = {}) => {
    const { asked, by, reason } = request;
    const draft = { event_type: "approval_refused", details: { asked, by, reason } };
    return noteEvent(
      await run.refuse(request, { ...options, documents: note([draft], options.documents) }),
    );
  };
  const clearMark: Run["clearMark"] = async (cleared, options = {}) => {
    const draft = { event_type: "mark_cleared", details: { ...cleared } };
    return noteEvent(
      await run.clearMark(cleared, { ...options, documents: note([draft], options.documents) }),
    );
  };
  return { run: overlayRun(run, { record, approve, refuse, clearMark }), recorded: () => event };
}

function traceOf(
  after: number,
  { event_type: type, agent_id: agent, task_id: task, details }: Noted,
): Trace {
  const keys = Object.keys(details);
  return { after, type, ...omitUndefined({ agent, task }), keys, digest: digestOf(details, keys) };
}

const digestOf = (details: JsonObject, keys: readonly string[]): string =>
  createHash("sha256")
    .update(canonicalJson(keys.map((key) => [key, details[key] ?? null])))
    .digest("hex");

async function eventOf(
  { run, store }: ChangeRequest["service"],
  { name }: IdempotentRequest,
): Promise<LogEvent> {
  const found = await store.get(KIND, name);
  const trace = found === undefined ? undefined : (JSON.parse(found.value) as Trace);
  // If another node made the change, this node must know it before it answers.
  await run.catchUp();
  const events = trace === undefined ? [] : await store.events(run.run, trace.after, BETWEEN);
  const like = events.filter(
    ({ event_type, agent_id, task_id }) =>
      event_type === trace?.type &&
      (trace.agent === undefined || agent_id === trace.agent) &&
      (trace.task === undefined || task_id === trace.task),
  );
  const event =
    like.find(
      ({ details }) => trace !== undefined && digestOf(details, trace.keys) === trace.digest,
    ) ?? like[0];
  if (event !== undefined) return event;
  throw problem({
    status: 409,
    code: "BYLAW_REQUEST_UNFINISHED",
    detail: "This request was made before, and its event is not in the log",
    fix: "Check whether it had its effect. If not, make it again under a new request id.",
  });
}
