import type { LintCheck } from "../check.ts";
import { evasionsOf, reportEvasions } from "../evasions.ts";

/** What a rule denies or asks about is allowed when it is written differently. */
export const evadedToAllow: LintCheck = {
  code: "evaded_to_allow",
  severity: "error",
  check: (pool, report) =>
    reportEvasions(
      evasionsOf(pool).filter(({ effect }) => effect === "allow"),
      report,
    ),
};
