import { TIERS, type RuleSource } from "../../compile/rule.ts";
import type { LintCheck } from "../check.ts";

/** Finds allows that name a rule in `overrides` that they cannot override. */
export const overridesNothing: LintCheck = {
  code: "overrides_nothing",
  severity: "warning",
  check(pool, report) {
    const strict = pool.rules
      .map(({ source }) => source)
      .filter(({ effect, final }) => effect !== "allow" && !final);
    for (const rule of pool.rules) {
      const { name: own, overrides = [], tier } = rule.source;
      const listed = strict.filter(({ name }) => overrides.includes(name));
      const asks = listed.filter(({ effect }) => effect === "ask_user");
      for (const name of overrides) {
        const named = listed.filter((one) => one.name === name);
        const reached = named.filter((one) => height(tier) >= height(one.tier));
        const isOverridden = ({ effect, tier: below }: RuleSource): boolean =>
          effect === "ask_user" || asks.some((ask) => height(ask.tier) > height(below));
        if (reached.some(isOverridden)) continue;
        report(
          rule,
          ["overrides"],
          `The rule \`${own}\` overrides no rule \`${name}\`: ${whyNot(named, reached)}`,
          "Correct the name, or remove it",
        );
      }
    }
  },
};

const height = (tier: RuleSource["tier"]): number => -TIERS.indexOf(tier);

function whyNot(named: readonly RuleSource[], reached: readonly RuleSource[]): string {
  if (named.length === 0) return "no ask or deny that is not final has this name";
  return reached.length === 0
    ? "it has a higher priority"
    : "it is a deny, and no ask of a higher priority is named beside it";
}
