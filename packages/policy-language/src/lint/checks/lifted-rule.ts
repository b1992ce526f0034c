import { isConditional } from "../../compile/written-rule.ts";
import type { ToolCall } from "@bylaw/kernel";
import { TIERS } from "../../compile/rule.ts";
import { weaker } from "../../compile/strictness.ts";
import { CallFacts } from "../../match/call-facts.ts";
import type { LintCheck, LintPool, LintRule } from "../check.ts";
import { isLiteral } from "../glob-cover.ts";
import { callOf, linesOf, namedTools, pathsOf, shellCall } from "../sample.ts";
import { placeOf } from "./shadowed-rule.ts";

/** Finds rules of a higher priority that override part of a stricter rule below them. */
export const liftedRule: LintCheck = {
  code: "lifted_rule",
  severity: "warning",
  check(pool, report) {
    const counting = pool.rules.filter(({ source }) => !source.shadow && !isConditional(source));
    const strict = counting.filter(({ source }) => source.effect !== "allow" && !source.final);
    for (const rule of counting) {
      // It names what it overrides.
      if (rule.source.overrides !== undefined) continue;
      const below = strict.filter((one) => isAbove(rule, one));
      const lifted = below.flatMap((one) => liftedBy(rule, one, pool) ?? []);
      const [first] = lifted;
      if (first === undefined) continue;
      const { name, effect, tier } = rule.source;
      const { source } = first.one;
      const more = lifted.length === 1 ? "" : `, and ${lifted.length - 1} more rules`;
      report(
        rule,
        ["priority"],
        `The rule \`${name}\` lifts ${placeOf(first.one)}${more}: \`${first.text}\` gets ${effect} instead of ${source.effect}`,
        `Narrow \`${name}\`, or remove its \`priority\`, which is \`${tier}\``,
      );
    }
  },
};

const isAbove = ({ source }: LintRule, { source: below }: LintRule): boolean =>
  TIERS.indexOf(source.tier) < TIERS.indexOf(below.tier) && weaker(source.effect, below.effect);

// Finds a call of either rule that both rules match and that the stricter one no longer decides.
function liftedBy(
  rule: LintRule,
  one: LintRule,
  pool: LintPool,
): { readonly one: LintRule; readonly text: string } | undefined {
  for (const { call, text } of [...samplesOf(one, pool), ...samplesOf(rule, pool)]) {
    const { perCommand } = new CallFacts(call, pool.tools);
    if (
      perCommand.some((facts) => rule.rule.matches(facts) && one.rule.matches(facts)) &&
      weaker(pool.effectOf(call), one.source.effect)
    )
      return { one, text };
  }
  return undefined;
}

interface Sample {
  readonly call: ToolCall;
  readonly text: string;
}

const samples = new WeakMap<LintRule, readonly Sample[]>();

function samplesOf(rule: LintRule, { tools }: LintPool): readonly Sample[] {
  let found = samples.get(rule);
  if (found === undefined) {
    const lines = linesOf(rule).map((text) => ({ call: shellCall(rule, text, tools), text }));
    const files = (["read", "write"] as const).flatMap((access) => {
      const names = [...tools.files].flatMap(([name, table]) =>
        table[access] === undefined ? [] : [name],
      );
      const [tool] = namedTools(rule, names);
      const [argument] = (tool === undefined ? undefined : tools.files.get(tool)?.[access]) ?? [];
      if (tool === undefined || argument === undefined) return [];
      return pathsOf(rule, access).map((text) => ({
        call: callOf(rule, tool, { [argument]: text }),
        text,
      }));
    });
    const named = (rule.shape.tools ?? [])
      .filter(isLiteral)
      .map((text) => ({ call: callOf(rule, text, {}), text }));
    samples.set(rule, (found = [...lines, ...files, ...named]));
  }
  return found;
}
