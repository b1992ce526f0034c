import type { Effect } from "@bylaw/kernel";
import { quote } from "../load/finding.ts";
import { TIERS, compileRule, type Rule, type RuleSource } from "../compile/rule.ts";
import { weaker } from "../compile/strictness.ts";
import { alternativesOf, partsOf } from "./alternatives.ts";

/** The kind of a change. A dropped rule is equivalent to a rule in shadow. */
export type MutationKind = "drop" | "effect" | "widen" | "part" | "item" | "tier" | "final";

/** A rule with one change. */
export interface Mutant {
  readonly kind: MutationKind;
  /** What was changed, in a few words. */
  readonly change: string;
  /** The changed rule. Undefined if it is dropped. */
  readonly rule: Rule | undefined;
}

const WEAKER: Readonly<Record<Effect, Effect>> = {
  deny: "ask_user",
  ask_user: "allow",
  allow: "deny",
};

/**
 * Every change of a rule that some case should notice. Changes that make the rule invalid are left out. So are
 * changes that cannot change any effect of this pool: removing `final` if no weaker rule is above, or lowering the
 * tier if the rule beats the same rules from there.
 */
export function mutantsOf({ source }: Rule, others: readonly Rule[]): readonly Mutant[] {
  const found: Mutant[] = [{ kind: "drop", change: "the rule is dropped", rule: undefined }];
  const add = (kind: MutationKind, change: string, changed: RuleSource): void => {
    const rule = compileQuietly(changed);
    if (rule !== undefined) found.push({ kind, change, rule });
  };
  const { effect, tier, final } = source;
  const other = WEAKER[effect];
  add("effect", `\`action\` is \`${other}\`, not \`${effect}\``, {
    ...source,
    effect: other,
    final: final && other !== "allow",
  });
  const height = TIERS.indexOf(tier);
  const lower = TIERS[height + 1];
  const voting = others.flatMap((rule) => (rule.source.shadow ? [] : [rule.source]));
  // In a lower tier, the rule loses to weaker rules of its tier, except to final rules, and to stricter rules of the lower
  // tier, of which the final ones held already. Against an equally strict rule, only the name in the decision changes.
  const isRival = (rule: RuleSource): boolean =>
    rule.tier === tier
      ? !final && weaker(rule.effect, effect)
      : rule.tier === lower && !rule.final && weaker(effect, rule.effect);
  if (lower !== undefined && voting.some(isRival))
    add("tier", `\`priority\` is \`${lower}\`, not \`${tier}\``, { ...source, tier: lower });
  // If a rule above is at least as strict, the decision is the same with and without `final`.
  if (
    final &&
    voting.some((rule) => TIERS.indexOf(rule.tier) < height && weaker(rule.effect, effect))
  )
    add("final", "`final` is dropped", { ...source, final: false });
  for (const { key, without } of partsOf(source)) add("part", `\`${key}\` is dropped`, without);
  for (const { key, item, without } of alternativesOf(source))
    add("item", `\`${key}\` without ${quote(item)}`, without);
  for (const [at, pattern] of (source.command ?? []).entries()) {
    const wider = widened(pattern);
    // Skip a pattern that the rule already has, because adding it changes nothing.
    if (wider === undefined || source.command?.includes(wider) === true) continue;
    const command = source.command?.with(at, wider);
    add("widen", `\`command\` has ${quote(wider)} for ${quote(pattern)}`, { ...source, command });
  }
  return found;
}

/** `x y *` becomes `x *`; `x y` becomes `x y *`; and `x y:*`, which already accepts more arguments, becomes `x *`. */
function widened(pattern: string): string | undefined {
  const words = pattern.split(/[ \t]+/).filter((word) => word !== "");
  const last = words.at(-1) ?? "";
  if (last !== "*" && !/[*}]$/.test(last)) return [...words, "*"].join(" ");
  const kept = words.slice(0, last === "*" ? -2 : -1);
  return kept.length === 0 ? undefined : [...kept, "*"].join(" ");
}

/**
 * How dangerous an unnoticed change is, lowest number first: a deny that is gone or asks, an ask that allows, an
 * allow that covers more, any other weakening. Undefined for a change that does not loosen the policy.
 */
export function riskOf(kind: MutationKind, effect: Effect): number | undefined {
  if (effect === "allow") return kind === "part" || kind === "widen" ? 3 : undefined;
  if (kind === "drop") return effect === "deny" ? 0 : 2;
  if (kind === "effect") return effect === "deny" ? 1 : 2;
  return kind === "item" || kind === "tier" || kind === "final" ? 4 : undefined;
}

/** Compiles a changed rule. Undefined if the changed rule is invalid. */
export function compileQuietly(source: RuleSource): Rule | undefined {
  let wrong = false;
  const rule = compileRule(source, () => {
    wrong = true;
  });
  return wrong ? undefined : rule;
}
