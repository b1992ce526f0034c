import { rankRules, RuleMatcher } from "../decide/rule-matcher.ts";
import type { Rule, RuleSource } from "../compile/rule.ts";
import type { CallFacts } from "../match/call-facts.ts";

/** A command of a line, or a whole call, that no rule allows. */
export interface OpenPart {
  readonly facts: CallFacts;
  /** The rules that a suggestion overrides: asks, and denies of lower priority than the deciding ask. None if no rule covers it. */
  readonly overridden: readonly Rule[];
  /** A rule that no suggestion overrides. */
  readonly strict?: Rule;
}

/** Whether a suggestion may override a rule: an ask of a ruleset or the project that is not final. */
export const isOverridable = ({ effect, final, tier }: RuleSource): boolean =>
  effect === "ask_user" && !final && (tier === "default" || tier === "workspace");

/** The commands that a new rule must allow. `held`: the rules whose conditions hold. */
export function openParts(
  held: ReadonlySet<Rule>,
  parts: readonly CallFacts[],
): readonly OpenPart[] {
  const entries = rankRules([...held].filter(({ source }) => !source.shadow));
  return parts.flatMap((facts): readonly OpenPart[] => {
    if (facts.part?.suspect === true) return [];
    const matching = entries.filter(({ rule }) => rule.matches(facts));
    const matcher = new RuleMatcher();
    for (const entry of matching) matcher.seeHeld(entry, facts);
    const decided = matcher.outcome()?.rule.source.effect;
    if (decided === "allow") return [];
    const against = matching.flatMap(({ rule }) => (rule.source.effect === "allow" ? [] : [rule]));
    // Whoever says yes to an ask also lifts the denies below it.
    const isLifted = ({ effect, final }: RuleSource): boolean =>
      effect === "deny" && !final && decided === "ask_user";
    const strict = against.find(({ source }) => !isOverridable(source) && !isLifted(source));
    return [{ facts, overridden: against, ...(strict === undefined ? {} : { strict }) }];
  });
}
