import type { LintCheck } from "../check.ts";
import { duplicateRules } from "../duplicate-rules.ts";
import { placeOf } from "./shadowed-rule.ts";

/** Two rules say two things about the same calls. */
export const contradictoryRules: LintCheck = {
  code: "contradictory_rules",
  severity: "error",
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
