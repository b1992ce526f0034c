import type { LintCheck, LintRule } from "../check.ts";
import { coversOf } from "../covered.ts";
import { shapeKey } from "../shape.ts";

/** Another rule always comes first. */
export const shadowedRule: LintCheck = {
  code: "shadowed_rule",
  severity: "warning",
  check(pool, report) {
    for (const { rule, by } of coversOf(pool).whole) {
      // The same conditions are another finding.
      if (shapeKey(rule.shape) === shapeKey(by.shape) && rule.source.tier === by.source.tier)
        continue;
      report(
        rule,
        ["name"],
        `The rule \`${rule.source.name}\` never decides: ${placeOf(by)} matches every call that it matches and ${why(by, rule)}`,
        rule.source.effect === by.source.effect
          ? "Drop it"
          : `Drop it, narrow \`${by.source.name}\`, or give it a higher \`priority\``,
      );
    }
  },
};

function why(by: LintRule, rule: LintRule): string {
  if (by.source.tier !== rule.source.tier) return `has the higher priority \`${by.source.tier}\``;
  return by.source.effect === rule.source.effect
    ? "says the same"
    : `is stricter (${by.source.effect})`;
}

/** A rule with its place, for a message. */
export const placeOf = ({ source }: LintRule): string =>
  `\`${source.name}\` (${source.file}:${source.line})`;
