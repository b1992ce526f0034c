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
 * The name of a request in the store: what its caller named it together with all that it says. So an id that is used for something
 * else names something else, and nobody is answered for what somebody else asked, or with another token.
 */
export const requestName = (kind: string, request_id: string, content: Json): string =>
  `${kind}:${digestOf({ request_id, content })}`;

/** The name of a question that came with a request id: of a transition in the subject, of every other beside it. */
export function questionName(given: Subject, asked_as: string | undefined): string | undefined {
  const request_id = (given.hook === "onTransition" ? given.request_id : undefined) ?? asked_as;
  if (typeof request_id !== "string") return undefined;
  // The run says these itself, or they are about the asking and not about what is asked.
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
  /** What an event of a type says of how the question was answered. */
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
  // A response that does not comply is on record as such in every enforcement mode.
  onEnforcement: {
    kind: "response",
    applied: { response_accepted: ["allow"], enforcement: ["allow", "ask_user", "deny"] },
  },
};

/** What came of a question the first time, from its event; `undefined` where that does not say. */
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
  const { policy_digest: digest, ...told } = kept;
  const policy = told["policy"] ?? policies[String(digest)] ?? {};
  const decision = {
    ...(id === undefined ? {} : { id }),
    hook,
    ...told,
    policy,
  } as unknown as Decision;
  return { decision, applied, events, replayed: true };
}
