import type { LintCheck } from "../check.ts";
import { coversOf } from "../covered.ts";
import { placeOf } from "./shadowed-rule.ts";

/** Finds rules that never decide because several other rules together always do. */
export const unreachableRule: LintCheck = {
  code: "unreachable_rule",
  severity: "warning",
  check(pool, report) {
    for (const { rule, by } of coversOf(pool).parts) {
      report(
        rule,
        ["name"],
        `The rule \`${rule.source.name}\` never decides: ${by.map(placeOf).join(" and ")} together match every call that it matches, and take precedence`,
        "Remove it, narrow the others, or give it a higher `priority`",
      );
    }
  },
};
