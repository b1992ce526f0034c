import type { Effect, Verdict } from "@bylaw/kernel";
import type { CallFacts } from "../match/call-facts.ts";
import type { RuleIndex } from "../compile/rule-index.ts";
import { Objections, offersOther, unlessOverridden } from "./objections.ts";
import { MatchBudget, RuleMatcher, shadowVerdicts, type Entry } from "./rule-matcher.ts";
import {
  TOO_LARGE,
  possibleMatchVote,
  unknownLineVote,
  unknownOf,
  type PolicyScope,
} from "./unknown-votes.ts";

/** The matching rules of a call, or of one command of its line. */
interface CommandEvaluation {
  readonly facts: CallFacts;
  readonly matcher: RuleMatcher;
}

interface EvaluationOptions {
  readonly bounded: boolean;
  readonly conditions: boolean;
}

/** Evaluates the rules for one call. A shell line is evaluated command by command, and each must be allowed. */
export class CallEvaluation {
  readonly whole: CallFacts;
  readonly #evaluations: readonly CommandEvaluation[];
  readonly #budget: MatchBudget | undefined;
  readonly #collect: RuleIndex;
  #holds: (entry: Entry) => boolean = () => true;

  /**
   * `bounded`: limits the work. A call that exceeds the limit is treated as unknown. `conditions`: the conditions of rules that could not
   * decide are needed too, because a rule overrides others or has `instead`.
   */
  constructor(whole: CallFacts, collect: RuleIndex, { bounded, conditions }: EvaluationOptions) {
    this.whole = whole;
    this.#budget = bounded ? new MatchBudget() : undefined;
    this.#collect = collect;
    const evaluateOne = (facts: CallFacts): CommandEvaluation => {
      const matcher = new RuleMatcher(this.#budget, { conditions });
      this.#see(facts, matcher);
      return { facts, matcher };
    };
    // Most calls run no shell line, so avoid walking one.
    this.#evaluations =
      whole.line === null ? [evaluateOne(whole)] : whole.commands.map(evaluateOne);
    const { embedded } = whole;
    if (embedded.length > 0)
      this.#evaluations = [...this.#evaluations, ...embedded.map(evaluateOne)];
  }

  /** The rules that match some command except for a condition (`when`) still to be evaluated, and that could change the outcome. */
  open(): readonly Entry[] {
    return [...new Set(this.#evaluations.flatMap(({ matcher }) => matcher.open()))];
  }

  /** Adds the open rules whose conditions hold. */
  settle(holds: (entry: Entry) => boolean): void {
    this.#holds = holds;
    for (const { matcher } of this.#evaluations)
      for (const entry of matcher.open()) if (holds(entry)) matcher.take(entry);
  }

  /**
   * Returns the strictest vote of all commands; among equally strict rules, the first by (name, file, line). Votes of
   * rules in shadow are added.
   */
  votes(scope: PolicyScope, fallback: Effect | undefined): readonly Verdict[] | undefined {
    const spent = this.#budget?.spent === true;
    const line = spent ? TOO_LARGE : unknownLineVote(this.whole, scope, fallback);
    let rank = line === undefined ? -1 : rankOf(line.effect, { rule: false });
    let order = Number.POSITIVE_INFINITY;
    let answer: readonly Verdict[] | undefined = line === undefined ? undefined : [line];
    let shadows: Entry[] | undefined;
    for (const { facts, matcher } of this.#evaluations) {
      const decided = this.#overriding(facts, matcher) ?? matcher.outcome();
      const effect = decided?.rule.source.effect;
      if (facts.part?.suspect === true && (effect === undefined || effect === "allow")) continue;
      // If the line is too large, only a rule that denies may decide instead.
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
        answer = doubt === undefined ? decided && this.#answerOf(decided, facts) : [doubt];
      }
      if (matcher.shadowed !== undefined) (shadows ??= []).push(...matcher.shadowed);
    }
    return shadows === undefined ? answer : [...(answer ?? []), ...shadowVerdicts(shadows)];
  }

  #see(facts: CallFacts, matcher: RuleMatcher): void {
    const budget = this.#budget;
    if (budget === undefined) this.#collect(facts, matcher);
    else if (!budget.spent) budget.take(facts, () => this.#collect(facts, matcher));
  }

  // The allow that overrides every ask about this command, if nothing else stands against it.
  #overriding(facts: CallFacts, matcher: RuleMatcher): Entry | undefined {
    const by = matcher.overriding();
    if (by === undefined) return undefined;
    const objections = new Objections(unlessOverridden(by), this.#holds, this.#budget);
    this.#see(facts, objections);
    return objections.found ? undefined : by.toSorted((a, b) => a.order - b.order)[0];
  }

  // An `instead` replaces the whole call, so it does not count for one of several commands, for a line with unknown parts, or if
  // another deciding rule disagrees.
  #answerOf(decided: Entry, facts: CallFacts): readonly Verdict[] {
    const answer = decided.rule.answerTo(facts);
    if (decided.rule.source.instead === undefined) return answer;
    const objections = new Objections(offersOther(decided), this.#holds, this.#budget);
    const alone = this.#evaluations.length === 1 && this.whole.line?.unknown === undefined;
    if (alone) this.#see(facts, objections);
    if (alone && !objections.found) return answer;
    return answer.map(({ instead: _, ...verdict }) => verdict);
  }
}

// From strict to lenient: deny, ask_user, unknown, no rule, allow. If the default denies, an unknown call is denied too.
function rankOf(effect: Effect | undefined, { rule }: { readonly rule: boolean }): number {
  if (effect === undefined) return 1;
  if (effect === "allow") return 0;
  return (effect === "deny" ? 4 : 2) + (rule ? 1 : 0);
}
