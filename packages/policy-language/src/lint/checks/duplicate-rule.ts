import type { LintCheck } from "../check.ts";
import { duplicateRules } from "../duplicate-rules.ts";
import { placeOf } from "./shadowed-rule.ts";

/** A rule says what another says. */
export const duplicateRule: LintCheck = {
  code: "duplicate_rule",
  severity: "warning",
  check(pool, report) {
    for (const { rule, twin } of duplicateRules(pool)) {
      if (rule.source.effect !== twin.source.effect) continue;
      report(
        rule,
        ["name"],
        `The rule \`${rule.source.name}\` repeats ${placeOf(twin)}, which differs only in name and words`,
        "Drop one of the two",
      );
    }
  },
};
