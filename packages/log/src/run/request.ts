import {
  isJsonObject,
  type Decision,
  type Effect,
  type Json,
  type LogEvent,
  type Subject,
  type Transition,
} from "@bylaw/kernel";
import type { HookName, Policies } from "../state/policies.ts";
import { digestOf } from "../format/digest.ts";
import type { Outcome } from "./run-contract.ts";

/**
 * The id of a request in the store: a digest of the caller's request id and the whole content. So the same id with other content is another
 * request, and no caller gets the answer to another's question or token.
 */
export const requestName = (kind: string, request_id: string, content: Json): string =>
  `${kind}:${digestOf({ request_id, content })}`;

/** The name of a question with a request id. A transition has the id in its subject; other questions have it in their options. */
export function questionName(given: Subject, asked_as: string | undefined): string | undefined {
  const request_id = (given.hook === "onTransition" ? given.request_id : undefined) ?? asked_as;
  if (typeof request_id !== "string") return undefined;
  // These fields come from the run, or describe the request rather than the question.
  const {
    hook,
    request_id: _,
    id: __,
    at,
    run,
    session,
    phase,
    from,
    ...content
  } = given as Partial<Transition> & Subject;
  return requestName(RECORDED[hook].kind, request_id, content as unknown as Json);
}

interface Recorded {
  readonly kind: string;
  /** The effects that each event type can stand for. */
  readonly applied: Readonly<Record<string, readonly Effect[]>>;
}

const RECORDED: Readonly<Record<HookName, Recorded>> = {
  beforeToolCall: {
    kind: "tool_call",
    applied: { tool_allowed: ["allow"], tool_asked: ["ask_user"], tool_denied: ["deny"] },
  },
  onTransition: {
    kind: "transition",
    applied: { phase_entered: ["allow"], transition_blocked: ["ask_user", "deny"] },
  },
  onBehavior: {
    kind: "behavior",
    applied: { behavior_applied: ["allow"], behavior_rejected: ["ask_user", "deny"] },
  },
  // A response that does not comply is recorded as such in every enforcement mode.
  onEnforcement: {
    kind: "response",
    applied: { response_accepted: ["allow"], enforcement: ["allow", "ask_user", "deny"] },
  },
};

/** The first outcome of a question, from its event. `undefined` if the event does not show it. */
export function outcomeOf(
  { id, hook }: Subject,
  events: readonly LogEvent[],
  policies: Policies,
): Outcome | undefined {
  const [event] = events;
  const kept = event?.details["decision"];
  if (event === undefined || events.length !== 1 || !isJsonObject(kept)) return undefined;
  const applied = RECORDED[hook].applied[event.event_type]?.find(
    (effect) => effect === kept["applied"],
  );
  if (applied === undefined) return undefined;
  const { policy_digest: digest, ...record } = kept;
  const policy = record["policy"] ?? policies[String(digest)] ?? {};
  const decision = {
    ...(id === undefined ? {} : { id }),
    hook,
    ...record,
    policy,
  } as unknown as Decision;
  return { decision, applied, events, replayed: true };
}
