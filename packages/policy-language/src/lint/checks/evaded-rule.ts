import type { LintCheck } from "../check.ts";
import { evasionsOf, reportEvasions } from "../evasions.ts";

/** What a rule denies is no longer denied when it is written differently. */
export const evadedRule: LintCheck = {
  code: "evaded_rule",
  severity: "warning",
  check: (pool, report) =>
    reportEvasions(
      evasionsOf(pool).filter(({ effect }) => effect !== "allow"),
      report,
    ),
};
