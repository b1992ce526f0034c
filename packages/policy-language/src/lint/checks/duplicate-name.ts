import type { LintCheck, LintRule } from "../check.ts";
import { placeOf } from "./shadowed-rule.ts";

/** Finds one name in two files. */
export const duplicateName: LintCheck = {
  code: "duplicate_name",
  severity: "warning",
  check(pool, report) {
    const first = new Map<string, LintRule>();
    for (const rule of pool.rules) {
      const other = first.get(rule.source.name);
      if (other === undefined) first.set(rule.source.name, rule);
      else {
        const message = `Another rule is named \`${rule.source.name}\`: ${placeOf(other)}. Names must be unique across all files`;
        report(rule, ["name"], message, "Rename one of the two");
      }
    }
  },
};
