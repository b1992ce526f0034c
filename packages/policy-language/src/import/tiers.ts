import type { Effect } from "@bylaw/kernel";
import { TIERS, type Tier } from "../compile/rule.ts";
import { weaker } from "../compile/strictness.ts";

/** A rule with its priority in a list where the first match decides. */
export interface OrderedRule {
  readonly effect: Effect;
  readonly priority: number;
  /** The tools that the rule is about. Undefined: any tool. */
  readonly tools: ReadonlySet<string> | undefined;
}

/**
 * Gives each rule a tier so that the strictest rule of the highest tier decides as the first rule by priority did.
 * Neighbouring priorities share a tier if that changes no decision. If four tiers are not enough, the lowest ones are
 * merged, which can only make decisions stricter.
 */
export function tiersOf(rules: readonly OrderedRule[]): {
  readonly tiers: readonly Tier[];
  readonly merged: ReadonlySet<OrderedRule>;
} {
  const groups: OrderedRule[][] = [];
  for (const priority of [...new Set(rules.map((rule) => rule.priority))].toSorted(
    (a, b) => b - a,
  )) {
    const level = rules.filter((rule) => rule.priority === priority);
    const last = groups.at(-1);
    if (
      last === undefined ||
      level.some((rule) =>
        last.some((above) => weaker(above.effect, rule.effect) && meet(above, rule)),
      )
    ) {
      groups.push([...level]);
    } else last.push(...level);
  }
  const names = groups.length >= TIERS.length ? TIERS : TIERS.slice(TIERS.length - groups.length);
  const merged = new Set(groups.slice(TIERS.length).flat());
  const tierOf = new Map(
    groups.flatMap((group, at) =>
      group.map((rule) => [rule, names[Math.min(at, names.length - 1)] ?? "default"] as const),
    ),
  );
  return { tiers: rules.map((rule) => tierOf.get(rule) ?? "default"), merged };
}

const meet = (a: OrderedRule, b: OrderedRule): boolean =>
  a.tools === undefined ||
  b.tools === undefined ||
  [...a.tools].some((tool) => b.tools?.has(tool) === true);
