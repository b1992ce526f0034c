import type { LintCheck, LintRule } from "../check.ts";
import { coversOf } from "../covered.ts";
import { shapeKey } from "../shape.ts";

/** Finds rules that never decide because another rule always does. */
export const shadowedRule: LintCheck = {
  code: "shadowed_rule",
  severity: "warning",
  check(pool, report) {
    for (const { rule, by } of coversOf(pool).whole) {
      // Rules with the same conditions are reported by other checks.
      if (shapeKey(rule.shape) === shapeKey(by.shape) && rule.source.tier === by.source.tier)
        continue;
      report(
        rule,
        ["name"],
        `The rule \`${rule.source.name}\` never decides: ${placeOf(by)} matches every call that it matches and ${why(by, rule)}`,
        rule.source.effect === by.source.effect
          ? "Drop it"
          : `Remove it, narrow \`${by.source.name}\`, or give it a higher \`priority\``,
      );
    }
  },
};

function why(by: LintRule, rule: LintRule): string {
  if (by.source.tier !== rule.source.tier) return `has the higher priority \`${by.source.tier}\``;
  return by.source.effect === rule.source.effect
    ? "has the same effect"
    : `is stricter (${by.source.effect})`;
}

/** Formats a rule with its position, for a message. */
export const placeOf = ({ source }: LintRule): string =>
  `\`${source.name}\` (${source.file}:${source.line})`;
