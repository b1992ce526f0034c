import type { Effect, Verdict } from "@bylaw/kernel";
import type { CallFacts } from "../match/call-facts.ts";
import type { RuleIndex } from "../compile/rule-index.ts";
import { MatchBudget, RuleMatcher, shadowVerdicts, type Entry } from "./rule-matcher.ts";
import {
  TOO_LARGE,
  possibleMatchVote,
  unknownLineVote,
  unknownOf,
  type PolicyScope,
} from "./unknown-votes.ts";

/** What the rules come to for a call, or for one command of its line. */
interface CommandEvaluation {
  readonly facts: CallFacts;
  readonly matcher: RuleMatcher;
}

/** Evaluates the rules for one call. A shell line is evaluated command by command, and each must be allowed. */
export class CallEvaluation {
  readonly whole: CallFacts;
  readonly #evaluations: readonly CommandEvaluation[];
  readonly #budget: MatchBudget | undefined;

  /** `bounded`: only so many rules are looked at; a call with more to look at is not known. */
  constructor(whole: CallFacts, collect: RuleIndex, { bounded }: { readonly bounded: boolean }) {
    this.whole = whole;
    this.#budget = bounded ? new MatchBudget() : undefined;
    const evaluateOne = (facts: CallFacts): CommandEvaluation => {
      const matcher = new RuleMatcher(this.#budget);
      const budget = this.#budget;
      if (budget === undefined) collect(facts, matcher);
      else if (!budget.spent) budget.take(facts, () => collect(facts, matcher));
      return { facts, matcher };
    };
    // Most calls run no line: a list of one is made without a walk.
    this.#evaluations =
      whole.line === null ? [evaluateOne(whole)] : whole.commands.map(evaluateOne);
    const { carried } = whole;
    if (carried.length > 0) this.#evaluations = [...this.#evaluations, ...carried.map(evaluateOne)];
  }

  /** The rules that match some command if their conditions hold, and would count. */
  open(): readonly Entry[] {
    return [...new Set(this.#evaluations.flatMap(({ matcher }) => matcher.open()))];
  }

  /** Takes the rules whose conditions hold. */
  settle(holds: (entry: Entry) => boolean): void {
    for (const { matcher } of this.#evaluations)
      for (const entry of matcher.open()) if (holds(entry)) matcher.take(entry);
  }

  /** The strictest of what the commands come to; among equals the least rule by (name, file, line). Shadows of all of them. */
  votes(scope: PolicyScope, fallback: Effect | undefined): readonly Verdict[] | undefined {
    const spent = this.#budget?.spent === true;
    const line = spent ? TOO_LARGE : unknownLineVote(this.whole, scope, fallback);
    let rank = line === undefined ? -1 : rankOf(line.effect, { rule: false });
    let order = Number.POSITIVE_INFINITY;
    let answer: readonly Verdict[] | undefined = line === undefined ? undefined : [line];
    let shadows: Entry[] | undefined;
    for (const { facts, matcher } of this.#evaluations) {
      const decided = matcher.outcome();
      const effect = decided?.rule.source.effect;
      if (facts.part?.suspect === true && (effect === undefined || effect === "allow")) continue;
      // Nothing but a rule that denies goes before a line that is too large.
      const doubt = spent
        ? undefined
        : (unknownOf(facts, scope, effect, fallback) ??
          possibleMatchVote(facts, matcher.doubt(), effect, fallback));
      const height =
        doubt === undefined
          ? rankOf(effect, { rule: true })
          : rankOf(doubt.effect, { rule: false });
      const place = doubt === undefined ? (decided?.order ?? 0) : 0;
      if (height > rank || (height === rank && place < order)) {
        rank = height;
        order = place;
        answer = doubt === undefined ? decided?.rule.answerTo(facts) : [doubt];
      }
      if (matcher.shadowed !== undefined) (shadows ??= []).push(...matcher.shadowed);
    }
    return shadows === undefined ? answer : [...(answer ?? []), ...shadowVerdicts(shadows)];
  }
}

// deny, ask_user, what is not known, nothing, allow. What is not known denies where the default does.
function rankOf(effect: Effect | undefined, { rule }: { readonly rule: boolean }): number {
  if (effect === undefined) return 1;
  if (effect === "allow") return 0;
  return (effect === "deny" ? 4 : 2) + (rule ? 1 : 0);
}
