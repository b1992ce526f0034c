import type { LintCheck } from "../check.ts";
import { evasionsOf, reportEvasions } from "../evasions.ts";

/** Finds denied commands that are no longer denied when written differently. */
export const evadedRule: LintCheck = {
  code: "evaded_rule",
  severity: "warning",
  check: (pool, report) =>
    reportEvasions(
      evasionsOf(pool).filter(({ effect }) => effect !== "allow"),
      report,
    ),
};
