import type { LintCheck } from "../check.ts";
import { evasionsOf, reportEvasions } from "../evasions.ts";

/** Finds denied or asked commands that are allowed when written differently. */
export const evadedToAllow: LintCheck = {
  code: "evaded_to_allow",
  severity: "error",
  check: (pool, report) =>
    reportEvasions(
      evasionsOf(pool).filter(({ effect }) => effect === "allow"),
      report,
    ),
};
