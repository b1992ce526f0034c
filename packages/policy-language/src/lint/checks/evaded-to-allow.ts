import type { LintCheck } from "../check.ts";
import { evasionsOf, reportEvasions } from "../evasions.ts";

/** What a rule denies or asks about is allowed when it is written differently. */
export const evadedToAllow: LintCheck = {
  code: "evaded_to_allow",
  severity: "error",
  finds:
    "a deny or an ask that turns into an allow when the same line or path is written differently",
  fires: `
[[rules]]
name = "look"
action = "allow"
command = "cat *"

[[rules]]
name = "no-notes"
action = "deny"
command = "cat notes.txt"
`,
  abstains: `
[[rules]]
name = "look"
action = "allow"
command = "cat *"

[[rules]]
name = "no-notes"
action = "deny"
command = "cat notes.txt *"
`,
  check: (pool, report) =>
    reportEvasions(
      evasionsOf(pool).filter(({ effect }) => effect === "allow"),
      report,
    ),
};
