import { canonicalJson, isJsonObject, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { isAllowedByRule } from "./allowed-by-rule.ts";
import { CALL_EVENTS, callHash } from "./recorded-call.ts";

/** A decision about the call that an earlier decision offered instead of its own. */
export interface DecidedOffer {
  /** Of the earlier decision. */
  readonly sequence: number;
  /** The {@link callHash} of the earlier call. */
  readonly key: string;
  /** Whether the offered call could run instead: a rule or a plugin allowed it. */
  readonly taken: boolean;
}

interface Offer {
  readonly sequence: number;
  readonly key: string;
  /** The hash of the offered call. */
  readonly offered: string;
}

/** The most offers of a run that are kept. A host asks about an offered call at once. */
const MAX_OFFERS = 1_000;

/** Finds, in the log of one run, the decisions about calls that another decision offered. They are no calls that an agent made. */
export class OfferedCalls {
  /** By the id of the call. */
  readonly #offers = new Map<string, Offer>();

  /** Adds the next event. Returns what it decides about an offer, if it does. */
  add(event: LogEvent): DecidedOffer | undefined {
    const { event_type, sequence, details } = event;
    const { id } = details;
    if (typeof id !== "string" || !CALL_EVENTS.has(event_type)) return undefined;
    const before = this.#offers.get(id);
    this.#offers.delete(id);
    if (before !== undefined && before.offered === callHash(event))
      return { sequence: before.sequence, key: before.key, taken: isTaken(event) };
    const offered = offeredCall(event);
    if (offered === undefined) return undefined;
    this.#offers.set(id, { sequence, key: callHash(event), offered });
    const [oldest] = this.#offers.keys();
    if (this.#offers.size > MAX_OFFERS && oldest !== undefined) this.#offers.delete(oldest);
    return undefined;
  }
}

/** What a later decision says about the call that an earlier one offered. Undefined if it is about another call. */
export function isOfferedCall(offer: LogEvent, event: LogEvent): DecidedOffer | undefined {
  const calls = new OfferedCalls();
  calls.add(offer);
  return calls.add(event);
}

/** The {@link callHash} of the call that a decision offers instead of its own, which gets the same id. */
export function offeredCall(event: LogEvent): string | undefined {
  const { args = null, decision = null } = event.details;
  if (event.event_type === "tool_allowed" || !isJsonObject(args) || !isJsonObject(decision))
    return undefined;
  const { instead = null } = decision;
  if (!isJsonObject(instead)) return undefined;
  const changed: JsonObject = { ...args, ...instead };
  if (canonicalJson(changed) === canonicalJson(args)) return undefined;
  return callHash({ ...event, details: { ...event.details, args: changed } });
}

/** Whether a call that was offered instead of another one may run, according to the decision about it. */
export const isTaken = ({ details: { decision = null } }: LogEvent): boolean =>
  isJsonObject(decision) && isAllowedByRule(decision);
