import type { Contract } from "@bylaw/contract";
import type { Decision, Effect } from "@bylaw/kernel";

/** What a lax enforcement mode let through, for the caller: every reason that the strict mode would have refused it for. */
export function warningsOf(
  { enforcement: { tools } }: Pick<Contract, "enforcement">,
  { decision, applied }: { readonly decision: Decision; readonly applied: Effect },
): readonly string[] {
  if (applied !== "allow") return [];
  const against = decision.votes.filter(
    ({ effect, severity, shadow, plugin }) =>
      effect !== "allow" &&
      severity !== "warning" &&
      // Of rules in shadow, agents learn only what `violation_action: warn` wants them to.
      (shadow !== true || (tools.mode === "permissive" && CONTRACT_PLUGINS.has(plugin))),
  );
  if (against.length === 0 && decision.effect !== "allow") return [decision.reason];
  return [...new Set(against.map(({ reason }) => reason))];
}

const CONTRACT_PLUGINS: ReadonlySet<string> = new Set([
  "@bylaw/plugin-phases",
  "@bylaw/plugin-tokens",
]);
