import type { LintCheck } from "../check.ts";
import { evasionsOf, reportEvasions } from "../evasions.ts";

/** What a rule denies is no longer denied when it is written differently. */
export const evadedRule: LintCheck = {
  code: "evaded_rule",
  severity: "warning",
  finds:
    "a deny that a person is only asked about when the same line or path is written differently",
  fires: `
default = "ask_user"
[[rules]]
name = "no-wipe"
action = "deny"
command = "rm -rf /"
`,
  abstains: `
default = "ask_user"
[[rules]]
name = "no-wipe"
action = "deny"
command = "rm -rf *"
`,
  check: (pool, report) =>
    reportEvasions(
      evasionsOf(pool).filter(({ effect }) => effect !== "allow"),
      report,
    ),
};
