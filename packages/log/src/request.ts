import { digestJson, isJsonObject, type Decision, type Effect, type Json, type LogEvent, type Subject } from "@bylaw/kernel";
import type { Outcome } from "./run-contract.ts";

/**
 * The name of a request in the store: what its caller named it together with all that it says. So an id that is used for something
 * else names something else, and nobody is answered for what somebody else asked, or with another token.
 */
export const requestName = async (kind: string, request_id: string, content: Json): Promise<string> =>
  `${kind}:${await digestJson({ request_id, content })}`;

/** The name of a transition that came with a request id. */
export function transitionName(given: Subject): Promise<string> | undefined {
  if (given.hook !== "onTransition" || typeof given.request_id !== "string") return undefined;
  // The run says these itself, or they are about the asking and not about what is asked.
  const { hook: _hook, request_id, id: _id, at: _at, run: _run, session: _session, phase: _phase, from: _from, ...content } = given;
  return requestName("transition", request_id, content as unknown as Json);
}

const APPLIED: Readonly<Record<string, readonly Effect[]>> = { phase_entered: ["allow"], transition_blocked: ["ask_user", "deny"] };

/** What came of a transition the first time, from its event; `undefined` where that does not say. */
export function outcomeOf({ id }: Subject, events: readonly LogEvent[]): Outcome | undefined {
  const [event] = events;
  const kept = event?.details["decision"];
  if (event === undefined || events.length !== 1 || !isJsonObject(kept)) return undefined;
  const applied = APPLIED[event.event_type]?.find((effect) => effect === kept["applied"]);
  if (applied === undefined) return undefined;
  const decision = { ...(id === undefined ? {} : { id }), hook: "onTransition", ...kept } as unknown as Decision;
  return { decision, applied, events, replayed: true };
}
