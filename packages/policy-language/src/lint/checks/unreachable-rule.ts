import type { LintCheck } from "../check.ts";
import { coversOf } from "../covered.ts";
import { placeOf } from "./shadowed-rule.ts";

/** Several other rules together always come first. */
export const unreachableRule: LintCheck = {
  code: "unreachable_rule",
  severity: "warning",
  finds:
    "a rule that never decides, because each of its alternatives is matched by some other rule that comes first",
  fires: `
[[rules]]
name = "ask-writing"
action = "ask_user"
tool = "write_*"

[[rules]]
name = "no-mail"
action = "deny"
tool = "send_mail"

[[rules]]
name = "helpers"
action = "allow"
tool = "write_note|send_mail"
`,
  abstains: `
[[rules]]
name = "no-mail"
action = "deny"
tool = "send_mail"

[[rules]]
name = "helpers"
action = "allow"
tool = "write_note|send_mail"
`,
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
