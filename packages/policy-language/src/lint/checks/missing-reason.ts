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
reason = "Unexpected mail, expected a draft that a person sends"
`,
  check(pool, report) {
    for (const rule of pool.rules) {
      const { effect, reason, name } = rule.source;
      if (effect !== "deny" || reason !== undefined) continue;
      report(
        rule,
        ["name"],
        `Unexpected deny \`${name}\` without a \`reason\`, expected one that tells the agent why`,
        "add `reason`, and `fix` with what to do instead",
      );
    }
  },
};
