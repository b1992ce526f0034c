import {
  isJsonObject,
  type Json,
  type JsonObject,
  type LogEvent,
  type ToolCall,
} from "@bylaw/kernel";
import {
  CALL_EVENTS,
  OfferedCalls,
  asksPerson,
  readRecordedCall,
  callHash,
  idOfQuestion,
  questionExpiry,
  recordedDigest,
  recordedPolicy,
} from "@bylaw/log";
import { NOBODY_TOLD, PERSON_TOLD } from "../notify/message-events.ts";

/** A tool call that waits for a person's approval. */
export interface OpenCall {
  readonly kind: "call";
  readonly sequence: number;
  readonly asked_at: string;
  readonly agent: string | null;
  readonly task: string | null;
  readonly tool: string;
  readonly args: Json;
  /** The reason that the policy gave. */
  readonly reason: string;
  /** The digest of the policies that asked. */
  readonly policy: string;
  /** The call as it was asked about. Left out if the log does not have all of it. */
  readonly call?: ToolCall;
  /** The digest that an approval of it is bound to. */
  readonly digest: string;
  /** RFC 3339: until when the agent's host waits. Left out if the question does not expire. */
  readonly expires_at?: string;
}

/** The states of a question about a call. */
export const CALL_STATES = [
  "open",
  "approved",
  "used",
  "rejected",
  "superseded",
  "settled",
  "expired",
] as const;
export type CallState = (typeof CALL_STATES)[number];

/** A question about a call, with its current state. */
export interface AskedCall {
  readonly id: string;
  readonly sequence: number;
  readonly digest: string;
  readonly agent: string | null;
  readonly task: string | null;
  /**
   * `superseded`: the call was asked about again. `settled`: it was decided, or it ran, without an answer. `expired`: nobody answered while its
   * host waited.
   */
  readonly state: CallState;
  /** The person who answered. Left out if nobody did. */
  readonly by?: string;
  /** The reason that was given with a no. */
  readonly reason?: string;
  /** When a yes expires, or when the question did, in milliseconds since 1970. */
  readonly until?: number;
}

/** The most questions of one agent that are kept. */
const OF_ONE_AGENT = 200;

type Kept = { -readonly [Field in keyof AskedCall]: AskedCall[Field] } & {
  readonly key: string;
  /** The id of the call. */
  readonly call: string;
  /** When the question expires, in milliseconds since 1970. */
  readonly expires: number;
  /** Why people were not told of it. */
  readonly untold: Set<string>;
};

/** The limit of reasons that are kept for one question. */
const MAX_UNTOLD = 20;

/** Follows the calls that were asked about. Keeps the last ones of each agent, so that no agent takes up all the space. */
export class CallFold {
  readonly #run: string;
  readonly #byId = new Map<string, Kept>();
  readonly #byKey = new Map<string, Kept>();
  readonly #byDigest = new Map<string, Kept>();
  /** By the id of the call. */
  readonly #byCall = new Map<string, Kept>();
  readonly #byAgent = new Map<string | null, Set<Kept>>();
  readonly #offers = new OfferedCalls();

  constructor(run: string) {
    this.#run = run;
  }

  add(event: LogEvent): void {
    const { event_type, details } = event;
    if (event_type === "approval_granted") this.#grant(details);
    if (event_type === "approval_refused") this.#refuse(details);
    if (event_type === PERSON_TOLD || event_type === NOBODY_TOLD) this.#noteMessage(details);
    // Its host has asked the person itself.
    if (event_type === "tool_result") settle(this.#byCall.get(String(details["id"])));
    if (!CALL_EVENTS.has(event_type)) return;
    const offer = this.#offers.add(event);
    // The offered call runs instead, so the question about the first call needs no answer.
    if (offer?.taken === true) settle(this.#byKey.get(offer.key));
    const waits = asksPerson(event);
    // Most calls were never asked about.
    if (!waits && !this.#byAgent.has(event.agent_id)) return;
    const key = callHash(event);
    const before = this.#byKey.get(key);
    const used = before?.state === "approved" && "approval" in decisionOf(details);
    if (before?.state === "open" || before?.state === "approved")
      before.state = waits ? "superseded" : used ? "used" : "settled";
    this.#byKey.delete(key);
    if (waits) this.#ask(event, key);
  }

  /** The open questions of all tasks or of one, the oldest first. `now`: milliseconds since 1970. */
  open(now: number, task?: string): readonly AskedCall[] {
    return [...this.#byKey.values()]
      .filter((asked) => task === undefined || asked.task === task)
      .map((asked) => standing(asked, now))
      .filter(({ state }) => state === "open");
  }

  /** A question that is still kept, answered or not. */
  get(id: string, now: number): AskedCall | undefined {
    const asked = this.#byId.get(id);
    return asked === undefined ? undefined : standing(asked, now);
  }

  /** Why people were not told of a question, one sentence each. */
  untold(id: string): readonly string[] {
    return [...(this.#byId.get(id)?.untold ?? [])];
  }

  #noteMessage({ question, to, why }: JsonObject): void {
    const untold = this.#byId.get(String(question))?.untold;
    if (typeof why !== "string" || untold === undefined || untold.size >= MAX_UNTOLD) return;
    untold.add(typeof to === "string" ? `${to}: ${why}` : why);
  }

  #grant({ digest, by, expires_at }: JsonObject): void {
    const asked = this.#byDigest.get(String(digest));
    if (asked === undefined) return;
    asked.state = "approved";
    asked.by = String(by);
    asked.until = Date.parse(String(expires_at));
  }

  #refuse({ asked: sequence, digest, by, reason }: JsonObject): void {
    const about = { sequence: Number(sequence), digest: String(digest) };
    const asked = this.#byId.get(idOfCall(this.#run, about));
    if (asked === undefined) return;
    asked.state = "rejected";
    asked.by = String(by);
    asked.reason = String(reason);
  }

  #ask(event: LogEvent, key: string): void {
    const { digest, sequence, agent, task } = openCall(event);
    const id = idOfCall(this.#run, { sequence, digest });
    const call = String(event.details["id"]);
    const expires = questionExpiry(event) ?? Infinity;
    const asked: Kept = {
      id,
      sequence,
      digest,
      agent,
      task,
      key,
      call,
      expires,
      state: "open",
      untold: new Set(),
    };
    this.#byId.set(id, asked);
    this.#byKey.set(key, asked);
    this.#byDigest.set(digest, asked);
    this.#byCall.set(call, asked);
    const own = this.#byAgent.get(agent) ?? new Set();
    this.#byAgent.set(agent, own.add(asked));
    const [oldest] = own;
    if (own.size > OF_ONE_AGENT && oldest !== undefined) this.#forget(oldest);
  }

  #forget(asked: Kept): void {
    this.#byId.delete(asked.id);
    this.#byAgent.get(asked.agent)?.delete(asked);
    if (this.#byKey.get(asked.key) === asked) this.#byKey.delete(asked.key);
    if (this.#byDigest.get(asked.digest) === asked) this.#byDigest.delete(asked.digest);
    if (this.#byCall.get(asked.call) === asked) this.#byCall.delete(asked.call);
  }
}

function settle(asked: Kept | undefined): void {
  if (asked?.state === "open") asked.state = "settled";
}

// If nobody uses a yes before it expires, the question is open again.
function standing(
  { key: _, call: __, untold: ___, expires, ...asked }: Kept,
  now: number,
): AskedCall {
  const isOpen =
    asked.state === "open" || (asked.state === "approved" && (asked.until ?? 0) <= now);
  if (!isOpen) return asked;
  const { by: _by, until: _until, ...question } = asked;
  return expires > now
    ? { ...question, state: "open" }
    : { ...question, state: "expired", until: expires };
}

const idOfCall = (
  run: string,
  { sequence, digest }: Pick<OpenCall, "sequence" | "digest">,
): string => idOfQuestion({ run, sequence, digest });

/** The question that an event asks about a call. */
export function openCall(event: LogEvent): OpenCall {
  const { sequence, timestamp: asked_at, agent_id: agent, task_id: task, details } = event;
  const decision = decisionOf(details);
  const { call } = readRecordedCall(event);
  const expires = questionExpiry(event);
  return {
    kind: "call",
    sequence,
    asked_at,
    agent,
    task,
    tool: String(details["tool"] ?? ""),
    args: details["args"] ?? null,
    reason: typeof decision["reason"] === "string" ? decision["reason"] : "",
    policy: recordedPolicy(event),
    ...(call === undefined ? {} : { call }),
    digest: recordedDigest(event) ?? "",
    ...(expires === undefined ? {} : { expires_at: new Date(expires).toISOString() }),
  };
}

const decisionOf = ({ decision = null }: JsonObject): JsonObject =>
  isJsonObject(decision) ? decision : {};
