import type { ToolCall } from "@bylaw/kernel";
import { CallFacts } from "../match/call-facts.ts";
import type { Rule } from "../compile/rule.ts";
import type { RunState } from "../match/run-state.ts";
import type { MarkSet } from "../marks/mark-set.ts";
import { inRun } from "../marks/run-marks.ts";
import type { ToolTable } from "../compile/tool-table.ts";

/**
 * For each rule, the indexes of the calls that it matches by itself, whatever other rules do. A call with a shell line counts if
 * the rule matches some command of it, even for an allow, because rules are evaluated for commands. Empty if there is no rule.
 */
export async function matchSets(
  rules: readonly (Rule | undefined)[],
  calls: readonly { readonly call: ToolCall; readonly run: RunState | undefined }[],
  { tools, marks }: { readonly tools: ToolTable; readonly marks: MarkSet | undefined },
): Promise<readonly ReadonlySet<number>[]> {
  const sets = rules.map(() => new Set<number>());
  for (const [at, { call, run }] of calls.entries()) {
    const { perCommand } = inRun(new CallFacts(call, tools), marks, run);
    for (const [index, rule] of rules.entries()) {
      if (rule === undefined || !perCommand.some((part) => rule.matches(part))) continue;
      if (rule.when === undefined || (await rule.when.holds(call, run))) sets[index]?.add(at);
    }
  }
  return sets;
}
