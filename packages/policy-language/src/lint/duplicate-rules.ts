import type { LintPool, LintRule } from "./check.ts";
import { shapeKey } from "./shape.ts";

/** A rule, and the strictest, first rule of the same tier that has the same conditions. */
export interface DuplicateRule {
  readonly rule: LintRule;
  readonly twin: LintRule;
}

/** The rules that repeat or contradict another rule of their tier. Never contains the rule that wins. */
export function duplicateRules(pool: LintPool): readonly DuplicateRule[] {
  const groups = new Map<string, LintRule[]>();
  for (const rule of pool.rules) {
    if (rule.source.shadow) continue;
    const key = `${rule.source.tier} ${shapeKey(rule.shape)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [rule]);
    else group.push(rule);
  }
  return [...groups.values()].flatMap((group) => {
    const [winner, ...others] = group.toSorted(
      (a, b) => b.rank - a.rank || Number(b.source.final) - Number(a.source.final),
    );
    return winner === undefined ? [] : others.map((rule) => ({ rule, twin: winner }));
  });
}
