import type { Kernel, ToolCall, View } from "@bylaw/kernel";
import type { RuleReport } from "@bylaw/policy-language";
import { POLICY_PLUGIN } from "../decide/kernel-source.ts";

// The codes with which a phase refuses a tool, whatever its arguments are.
const OF_PHASES: ReadonlySet<string> = new Set(["phase_tool_forbidden", "phase_tool_not_allowed"]);
/** The keys of a rule that do not depend on the arguments. */
const CALLER_PARTS: ReadonlySet<unknown> = new Set([
  ...["tool", "server", "interactive", "modes", "agent", "phase"],
]);
const TIERS: readonly unknown[] = ["default", "workspace", "user", "admin"];

/** Whether a tool is denied whatever its arguments are. `call` has no arguments. False if this is uncertain. */
export async function deniedOutright(
  kernel: Kernel,
  call: ToolCall,
  view?: View,
): Promise<boolean> {
  const { decision, taps } = await kernel.explain(call, view);
  const { applied, code, votes } = decision;
  if (applied !== "deny") return false;
  if (votes.some((vote) => vote.effect === "deny" && !vote.shadow && OF_PHASES.has(vote.code)))
    return true;
  const because = taps.find(({ plugin }) => plugin === POLICY_PLUGIN)?.because ?? [];
  if (!Array.isArray(because)) return false;
  const rules = (because as unknown as readonly RuleReport[]).filter(({ shadow }) => !shadow);
  const looser = rules.filter(
    ({ effect, failed }) => effect !== "deny" && !CALLER_PARTS.has(failed),
  );
  if (code === "fallback") return looser.length === 0;
  return rules.some(
    ({ any_arguments, final, tier }) =>
      any_arguments === true &&
      (final || !looser.some((one) => TIERS.indexOf(one.tier) > TIERS.indexOf(tier))),
  );
}
