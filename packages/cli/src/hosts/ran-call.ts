import { lowerDecision } from "@bylaw/host";
import type { Decision } from "@bylaw/kernel";

/**
 * The reason why a call should not have run. Undefined if it could. `unasked`: nobody else was asked about it, so it should not have run
 * without a person's yes either.
 */
export function whyForbidden(
  decision: Decision,
  { strict, unasked }: { readonly strict: boolean; readonly unasked: boolean },
): string | undefined {
  const reply = lowerDecision(decision, { allow: true, halts: false }, { strict });
  if (reply.kind !== "deny" && !(unasked && reply.kind === "ask")) return undefined;
  return `This call ran, but no rule allows it: ${reply.reason} It may have been changed after Bylaw was asked, for example by another hook. Tell the person.`;
}
