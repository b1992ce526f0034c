import type { LintCheck } from "../check.ts";
import { duplicateRules } from "../duplicate-rules.ts";
import { placeOf } from "./shadowed-rule.ts";

/** Finds rules that repeat another rule. */
export const duplicateRule: LintCheck = {
  code: "duplicate_rule",
  severity: "warning",
  check(pool, report) {
    for (const { rule, twin } of duplicateRules(pool)) {
      if (rule.source.effect !== twin.source.effect) continue;
      report(
        rule,
        ["name"],
        `The rule \`${rule.source.name}\` repeats ${placeOf(twin)}, which differs only in its texts`,
        "Remove one of the two",
      );
    }
  },
};
