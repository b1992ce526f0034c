import type { LintCheck } from "../check.ts";
import { duplicateRules } from "../duplicate-rules.ts";
import { placeOf } from "./shadowed-rule.ts";

/** Finds two rules with the same conditions and different effects. */
export const contradictoryRules: LintCheck = {
  code: "contradictory_rules",
  severity: "error",
  check(pool, report) {
    for (const { rule, twin } of duplicateRules(pool)) {
      if (rule.source.effect === twin.source.effect || rule.source.final) continue;
      report(
        rule,
        ["action"],
        `The rule \`${rule.source.name}\` (${rule.source.effect}) never decides: ${placeOf(twin)} has the same conditions and the stricter effect ${twin.source.effect}`,
        "Remove one of the two, or give them different conditions or priorities",
      );
    }
  },
};
