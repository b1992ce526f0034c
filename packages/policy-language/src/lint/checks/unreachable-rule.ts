import type { LintCheck } from "../check.ts";
import { coversOf } from "../covered.ts";
import { placeOf } from "./shadowed-rule.ts";

/** Several other rules together always come first. */
export const unreachableRule: LintCheck = {
  code: "unreachable_rule",
  severity: "warning",
  check(pool, report) {
    for (const { rule, by } of coversOf(pool).parts) {
      report(
        rule,
        ["name"],
        `The rule \`${rule.source.name}\` never decides: ${by.map(placeOf).join(" and ")} match all of it and come first`,
        "Drop it, narrow the others, or give it a higher `priority`",
      );
    }
  },
};
