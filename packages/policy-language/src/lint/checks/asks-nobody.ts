import type { LintCheck } from "../check.ts";

/** Finds rules that ask although no one can answer. */
export const asksNobody: LintCheck = {
  code: "asks_nobody",
  severity: "warning",
  check(pool, report) {
    for (const rule of pool.rules) {
      if (rule.source.effect !== "ask_user" || rule.source.interactive !== false) continue;
      report(
        rule,
        ["interactive"],
        `The rule \`${rule.source.name}\` asks only when no one can answer, so it always denies`,
        'Write `action = "deny"`, or drop `interactive`',
      );
    }
  },
};
