import type { LintCheck } from "../check.ts";

/** A question where nobody can answer. */
export const asksNobody: LintCheck = {
  code: "asks_nobody",
  severity: "warning",
  check(pool, report) {
    for (const rule of pool.rules) {
      if (rule.source.effect !== "ask_user" || rule.source.interactive !== false) continue;
      report(
        rule,
        ["interactive"],
        `The rule \`${rule.source.name}\` asks where nobody can be asked, which denies`,
        'Write `action = "deny"`, or drop `interactive`',
      );
    }
  },
};
