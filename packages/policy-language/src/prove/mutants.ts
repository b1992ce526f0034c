import type { Effect } from "@bylaw/kernel";
import { quote } from "../load/finding.ts";
import { TIERS, compileRule, type Rule, type RuleSource } from "../compile/rule.ts";
import { weaker } from "../compile/strictness.ts";
import type { ToolTable } from "../compile/tool-table.ts";
import { alternativesOf, partsOf } from "./alternatives.ts";

/** How a rule was changed. A dropped rule is what a rule in shadow comes to, too. */
export type MutationKind = "drop" | "effect" | "widen" | "part" | "item" | "tier" | "final";

/** A rule with one change. */
export interface Mutant {
  readonly kind: MutationKind;
  /** What was changed, in a few words. */
  readonly change: string;
  /** Undefined where the rule is dropped. */
  readonly rule: Rule | undefined;
}

const WEAKER: Readonly<Record<Effect, Effect>> = {
  deny: "ask_user",
  ask_user: "allow",
  allow: "deny",
};

/**
 * Every change of a rule that a case should notice. What would not be a rule is left out, and so is what can change no effect of this
 * pool, whatever the call: a `final` above which no weaker rule stands, a tier in which the rule beats the same ones as one below.
 */
export function mutantsOf(
  { source }: Rule,
  others: readonly Rule[],
  tools: ToolTable,
): readonly Mutant[] {
  const found: Mutant[] = [{ kind: "drop", change: "the rule is dropped", rule: undefined }];
  const add = (kind: MutationKind, change: string, changed: RuleSource): void => {
    const rule = compileQuietly(changed, tools);
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
  // Lowered, the rule loses to weaker ones of its tier, which a final rule never does, and to stricter ones of the lower tier, of which
  // the final ones held already. Beside one as strict as itself only the name in the decision changes.
  const isRival = (rule: RuleSource): boolean =>
    rule.tier === tier
      ? !final && weaker(rule.effect, effect)
      : rule.tier === lower && !rule.final && weaker(effect, rule.effect);
  if (lower !== undefined && voting.some(isRival))
    add("tier", `\`priority\` is \`${lower}\`, not \`${tier}\``, { ...source, tier: lower });
  // A stricter rule above decides the same with it and without it.
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
    // What another pattern of the rule says already changes nothing.
    if (wider === undefined || source.command?.includes(wider) === true) continue;
    const command = source.command?.with(at, wider);
    add("widen", `\`command\` has ${quote(wider)} for ${quote(pattern)}`, { ...source, command });
  }
  return found;
}

/** `x y *` becomes `x *`, `x y` becomes `x y *`, and `x y:*`, which is open already, `x *`. */
function widened(pattern: string): string | undefined {
  const words = pattern.split(/[ \t]+/).filter((word) => word !== "");
  const last = words.at(-1) ?? "";
  if (last !== "*" && !/[*}]$/.test(last)) return [...words, "*"].join(" ");
  const kept = words.slice(0, last === "*" ? -2 : -1);
  return kept.length === 0 ? undefined : [...kept, "*"].join(" ");
}

/**
 * How much harm a change would do that nobody notices, the worst first: a deny that is gone or asks, an ask that allows, an allow
 * that allows more, what else weakens a rule. `undefined` for a change that makes a policy no looser.
 */
export function riskOf(kind: MutationKind, effect: Effect): number | undefined {
  if (effect === "allow") return kind === "part" || kind === "widen" ? 3 : undefined;
  if (kind === "drop") return effect === "deny" ? 0 : 2;
  if (kind === "effect") return effect === "deny" ? 1 : 2;
  return kind === "item" || kind === "tier" || kind === "final" ? 4 : undefined;
}

/** Compiles a changed rule; undefined where the change makes it one that cannot be written. */
export function compileQuietly(source: RuleSource, tools: ToolTable): Rule | undefined {
  let wrong = false;
  const rule = compileRule(source, tools, () => {
    wrong = true;
  });
  return wrong ? undefined : rule;
}
