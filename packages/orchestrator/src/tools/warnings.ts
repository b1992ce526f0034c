import type { Contract } from "@bylaw/contract";
import type { Decision, Effect } from "@bylaw/kernel";
import { blockersOf } from "@bylaw/plugin-gates";

/** The warnings of a lax enforcement mode: every reason for which strict mode would have refused. */
export function warningsOf(
  { enforcement: { tools } }: Pick<Contract, "enforcement">,
  { decision, applied }: { readonly decision: Decision; readonly applied: Effect },
): readonly string[] {
  if (applied !== "allow") return [];
  const against = decision.votes.filter(
    ({ effect, severity, shadow, plugin }) =>
      effect !== "allow" &&
      severity !== "warning" &&
      // Agents hear of a shadow rule only if the contract sets `violation_action: warn`.
      (shadow !== true || (tools.mode === "permissive" && CONTRACT_PLUGINS.has(plugin))),
  );
  if (against.length === 0 && decision.effect !== "allow") return [decision.reason];
  return [...new Set(against.map(({ reason }) => reason))];
}

/** The warnings of a transition: what strict mode would have reported as its blockers, one a cause. */
export function transitionWarnings(
  contract: Contract,
  outcome: { readonly decision: Decision; readonly applied: Effect },
): readonly string[] {
  const { decision, applied } = outcome;
  return applied === "allow" && decision.effect !== "allow"
    ? blockersOf(contract, decision).map(({ reason }) => reason)
    : warningsOf(contract, outcome);
}

const CONTRACT_PLUGINS: ReadonlySet<string> = new Set([
  "@bylaw/plugin-phases",
  "@bylaw/plugin-tokens",
]);
