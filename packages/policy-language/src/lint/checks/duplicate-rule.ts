import type { LintCheck } from "../check.ts";
import { duplicateRules } from "../duplicate-rules.ts";
import { placeOf } from "./shadowed-rule.ts";

/** A rule says what another says. */
export const duplicateRule: LintCheck = {
  code: "duplicate_rule",
  severity: "warning",
  finds: "a rule with the conditions, the tier and the effect of another",
  fires: `
[[rules]]
name = "no-mail"
action = "deny"
tool = "send_mail"

[[rules]]
name = "mail-is-off"
action = "deny"
tool = "send_mail"
`,
  abstains: `
[[rules]]
name = "no-mail"
action = "deny"
tool = "send_mail"

[[rules]]
name = "no-letters"
action = "deny"
tool = "send_letter"
`,
  check(pool, report) {
    for (const { rule, twin } of duplicateRules(pool)) {
      if (rule.source.effect !== twin.source.effect) continue;
      report(
        rule,
        ["name"],
        `The rule \`${rule.source.name}\` repeats ${placeOf(twin)}, which differs only in name and words`,
        "Drop one of the two",
      );
    }
  },
};
