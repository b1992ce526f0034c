import type { LintCheck, LintRule } from "../check.ts";
import { placeOf } from "./shadowed-rule.ts";

/** One name in two files. */
export const duplicateName: LintCheck = {
  code: "duplicate_name",
  severity: "warning",
  finds:
    "a rule with the name of a rule in another file, so that a decision or `without` does not say which is meant",
  fires: `
[[rules]]
name = "no-mail"
action = "deny"
tool = "send_mail"
# --- another file
[[rules]]
name = "no-mail"
action = "deny"
tool = "send_letter"
`,
  abstains: `
[[rules]]
name = "no-mail"
action = "deny"
tool = "send_mail"
# --- another file
[[rules]]
name = "no-letters"
action = "deny"
tool = "send_letter"
`,
  check(pool, report) {
    const first = new Map<string, LintRule>();
    for (const rule of pool.rules) {
      const other = first.get(rule.source.name);
      if (other === undefined) first.set(rule.source.name, rule);
      else {
        const message = `Another rule is named \`${rule.source.name}\`: ${placeOf(other)}. Names are unique in all files`;
        report(rule, ["name"], message, "Rename one of the two");
      }
    }
  },
};
