import { TIERS } from "../../compile/rule.ts";
import type { LintCheck } from "../check.ts";

/** Finds allows that name a rule in `overrides` that they cannot override. */
export const overridesNothing: LintCheck = {
  code: "overrides_nothing",
  severity: "warning",
  check(pool, report) {
    const asks = pool.rules.filter(({ source }) => source.effect === "ask_user" && !source.final);
    for (const rule of pool.rules) {
      const { name: own, overrides = [], tier } = rule.source;
      for (const name of overrides) {
        const named = asks.filter(({ source }) => source.name === name);
        if (named.some(({ source }) => TIERS.indexOf(tier) <= TIERS.indexOf(source.tier))) continue;
        report(
          rule,
          ["overrides"],
          `The rule \`${own}\` overrides no rule \`${name}\`: ${named.length === 0 ? "no ask that is not final has this name" : "it has a higher priority"}`,
          "Correct the name, or remove it",
        );
      }
    }
  },
};
