import type { Decision, Kernel } from "@bylaw/kernel";
import { isRuleReport, unmatchedReason } from "./rule-lines.ts";

/** A decision with every tap's answer. */
export type Explanation = Awaited<ReturnType<Kernel["explain"]>>;

/** The decision, with a reason that names the nearest rule where no rule decides. `explain` is asked only then. */
export async function withNearestRule(
  decision: Decision,
  explain: () => Explanation | Promise<Explanation>,
): Promise<Decision> {
  if (decision.hook !== "beforeToolCall" || decision.code !== "fallback") return decision;
  const { taps } = await explain();
  const reports: readonly unknown[] = taps.flatMap(({ because }) =>
    Array.isArray(because) ? (because as readonly unknown[]) : [],
  );
  const reason = unmatchedReason(reports.filter(isRuleReport));
  return reason === undefined
    ? decision
    : { ...decision, reason: `${reason} The default is ${decision.effect}.` };
}
