import {
  canonicalJson,
  isJsonObject,
  type Decision,
  type JsonObject,
  type ToolCall,
} from "@bylaw/kernel";
import { isAllowedByRule } from "@bylaw/log/allowed-by-rule";

/** A call with named arguments. */
type Named<C> = C & { readonly args: JsonObject };

/** The end of an offer: the call to run instead, or the decision to tell. */
type OfferOutcome<C> =
  | { readonly call: Named<C> }
  | { readonly call?: undefined; readonly decision: Decision };

/**
 * Asks, once, about the call that a decision offers instead of one that does not run. It may run if a rule allows it. It keeps the id of
 * the first call, so that its result is found. Only strict mode changes calls.
 */
export async function takeOffer<C extends Pick<ToolCall, "args">>(
  call: C,
  decision: Decision,
  decide: (offered: Named<C>) => Decision | Promise<Decision>,
): Promise<OfferOutcome<C>> {
  const offered = offeredCall(call, decision);
  if (offered === undefined) return { decision };
  const second = await decide(offered);
  if (isAllowedByRule(second)) return { call: offered };
  // A denied offer would only mislead.
  return { decision: second.effect === "deny" ? { ...decision, instead: undefined } : decision };
}

function offeredCall<C extends Pick<ToolCall, "args">>(
  call: C,
  { applied, instead, enforcement_mode }: Decision,
): Named<C> | undefined {
  const { args } = call;
  if (applied === "allow" || enforcement_mode !== "strict") return undefined;
  // Arguments without names cannot be replaced by name.
  if (instead === undefined || !isJsonObject(args)) return undefined;
  const changed = { ...args, ...instead };
  return canonicalJson(changed) === canonicalJson(args) ? undefined : { ...call, args: changed };
}
