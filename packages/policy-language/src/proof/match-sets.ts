import type { ToolCall } from "@bylaw/kernel";
import { CallFacts } from "../facts.ts";
import type { Rule } from "../rule.ts";
import type { RunState } from "../run-state.ts";
import type { ToolTable } from "../tools.ts";

/** For each rule, the positions of the calls that it matches by itself, whatever other rules say. None for no rule. */
export async function matchSets(
  rules: readonly (Rule | undefined)[],
  calls: readonly ToolCall[],
  { tools, run }: { readonly tools: ToolTable; readonly run?: RunState | undefined },
): Promise<readonly ReadonlySet<number>[]> {
  const sets = rules.map(() => new Set<number>());
  for (const [at, call] of calls.entries()) {
    const facts = new CallFacts(call, tools);
    const parts = facts.line === null ? [facts] : facts.commands;
    for (const [index, rule] of rules.entries()) {
      if (rule === undefined || !parts.some((part) => rule.matches(part))) continue;
      if (rule.when === undefined || (await rule.when.holds(call, run))) sets[index]?.add(at);
    }
  }
  return sets;
}
