import type { LintCheck } from "../check.ts";

/** Finds denies without a reason. */
export const missingReason: LintCheck = {
  code: "missing_reason",
  severity: "info",
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
