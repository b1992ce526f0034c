import type { LintCheck } from "../check.ts";

/** A deny that does not say why. */
export const missingReason: LintCheck = {
  code: "missing_reason",
  severity: "info",
  finds: "a deny without a `reason`, so that the agent is told only that a rule denied",
  fires: `
[[rules]]
name = "no-mail"
action = "deny"
tool = "send_mail"
`,
  abstains: `
[[rules]]
name = "no-mail"
action = "deny"
tool = "send_mail"
reason = "Only a person may send mail."
`,
  check(pool, report) {
    for (const rule of pool.rules) {
      const { effect, reason, name } = rule.source;
      if (effect !== "deny" || reason !== undefined) continue;
      report(
        rule,
        ["name"],
        `The deny \`${name}\` has no \`reason\`, so an agent cannot learn why`,
        "Add `reason`, and `fix` with what to do instead",
      );
    }
  },
};
