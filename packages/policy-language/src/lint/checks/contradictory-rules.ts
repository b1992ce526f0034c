import type { LintCheck } from "../check.ts";
import { duplicateRules } from "../duplicate-rules.ts";
import { placeOf } from "./shadowed-rule.ts";

/** Two rules say two things about the same calls. */
export const contradictoryRules: LintCheck = {
  code: "contradictory_rules",
  severity: "error",
  finds:
    "two rules of one tier with the same conditions and different effects, so that the weaker one never decides",
  fires: `
[[rules]]
name = "mail"
action = "allow"
tool = "send_mail"

[[rules]]
name = "no-mail"
action = "deny"
tool = "send_mail"
`,
  abstains: `
[[rules]]
name = "mail"
action = "allow"
tool = "send_mail"
agent = "postman"

[[rules]]
name = "no-mail"
action = "deny"
tool = "send_mail"
`,
  check(pool, report) {
    for (const { rule, twin } of duplicateRules(pool)) {
      if (rule.source.effect === twin.source.effect || rule.source.final) continue;
      report(
        rule,
        ["action"],
        `The rule \`${rule.source.name}\` (${rule.source.effect}) never decides: ${placeOf(twin)} has the same conditions and says ${twin.source.effect}, which wins`,
        "Drop one of the two, or tell them apart by a condition or the `priority`",
      );
    }
  },
};
