import { STRICTNESS, type Verdict } from "@bylaw/kernel";
import type { CallFacts } from "../match/call-facts.ts";
import type { Rule, Tier } from "../compile/rule.ts";

const TIER_RANK: Readonly<Record<Tier, number>> = { default: 0, workspace: 1, user: 2, admin: 3 };

/** A rule with its standing in one pool. */
export interface Entry {
  readonly rule: Rule;
  /** Its place by (name, file, line). */
  readonly order: number;
  /** Effect alone. */
  readonly effect: number;
  /** Tier, then effect. */
  readonly rank: number;
  readonly shadow: boolean;
  readonly final: boolean;
}

/** Gives every rule its standing. */
export function rankRules(rules: readonly Rule[]): readonly Entry[] {
  return rules.toSorted(compareRules).map((rule, order) => {
    const { effect, tier, shadow, final } = rule.source;
    const strictness = STRICTNESS[effect];
    return {
      rule,
      order,
      effect: strictness,
      rank: TIER_RANK[tier] * 3 + strictness,
      shadow,
      final,
    };
  });
}

function compareRules({ source: a }: Rule, { source: b }: Rule): number {
  return compare(a.name, b.name) || compare(a.file, b.file) || a.line - b.line;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

// So much takes about 50 ms, in which nobody else is answered.
const MAX_WORK = 250_000;
const LOOK = 8;
const PATH = 4;

/** How much may be compared for one call, all of its commands together: so many rules with so many words. */
export class MatchBudget {
  #left = MAX_WORK;

  /** There were more rules to look at than that. */
  get spent(): boolean {
    return this.#left < 0;
  }

  /** Counts what `look` takes for a command as often as the line has the command. */
  take({ part }: CallFacts, look: () => void): void {
    const before = this.#left;
    look();
    if (part !== null) this.#left -= (before - this.#left) * (part.times - 1);
  }

  takes({ regex, readPaths, writePaths, mayMatch }: Rule, facts: CallFacts): boolean {
    if (this.#left < 0) return false;
    const { part } = facts;
    this.#left -= LOOK;
    // Where every word may begin a command, each is read with all that follow it.
    if (part !== null)
      this.#left -= part.words.length * (part.starts <= 1 ? 1 : regex === undefined ? 2 : 8);
    if (readPaths !== undefined || writePaths !== undefined) {
      const { known, regions, found } = facts.paths;
      this.#left -= PATH * (known.length + found);
      if (mayMatch !== undefined)
        this.#left -= regions * ((readPaths?.globs.length ?? 0) + (writePaths?.globs.length ?? 0));
    }
    return this.#left >= 0;
  }
}

/**
 * What the matching rules of one call come to: the highest tier decides, inside it the strictest effect, and a final rule holds
 * whatever the tiers above say. Among equals the least by (name, file, line); so no order of asking matters.
 */
export class RuleMatcher {
  readonly #budget: MatchBudget | undefined;
  #top: Entry | undefined = undefined;
  #held: Entry | undefined = undefined;
  #shadows: Entry[] | undefined = undefined;
  #asked: Set<Entry> | undefined = undefined;
  #open: Set<Entry> | undefined = undefined;
  #doubted: Set<Entry> | undefined = undefined;
  #doubts: Entry[] | undefined = undefined;

  /** Once the budget is spent no candidate is taken, and the call must not be allowed. */
  constructor(budget?: MatchBudget) {
    this.#budget = budget;
  }

  /** Takes a candidate; asking the same one twice changes nothing. */
  see(entry: Entry, facts: CallFacts): void {
    if (
      !this.#counts(entry) ||
      this.#budget?.takes(entry.rule, facts) === false ||
      !this.#accepts(entry, facts)
    )
      return;
    if (entry.rule.when === undefined) this.take(entry);
    else (this.#open ??= new Set()).add(entry);
  }

  /** Takes a candidate whose condition holds or that has none. */
  seeHeld(entry: Entry, facts: CallFacts): void {
    if (this.#accepts(entry, facts)) this.take(entry);
  }

  /** The candidates that match if their conditions hold, and would count. */
  open(): readonly Entry[] {
    return this.#open === undefined ? [] : [...this.#open].filter((entry) => this.#counts(entry));
  }

  /** Takes a rule that matches, or may. */
  take(entry: Entry): void {
    if (this.#doubted?.has(entry) === true) {
      (this.#doubts ??= []).push(entry);
      return;
    }
    if (entry.shadow) {
      this.#shadows ??= [];
      if (!this.#shadows.includes(entry)) this.#shadows.push(entry);
      return;
    }
    if (this.#isAbove(entry)) this.#top = entry;
    if (!entry.final) return;
    const held = this.#held;
    if (
      held === undefined ||
      entry.effect > held.effect ||
      (entry.effect === held.effect && entry.order < held.order)
    ) {
      this.#held = entry;
    }
  }

  #accepts(entry: Entry, facts: CallFacts): boolean {
    const { rule, shadow } = entry;
    if (rule.matches(facts)) return true;
    if (facts.part?.doubtful !== true || shadow || rule.mayMatch?.(facts) !== true) return false;
    (this.#doubted ??= new Set()).add(entry);
    return true;
  }

  #counts(entry: Entry): boolean {
    return this.#isAbove(entry) || entry.final || entry.shadow;
  }

  #isAbove({ rank, order }: Entry): boolean {
    const top = this.#top;
    return top === undefined || rank > top.rank || (rank === top.rank && order < top.order);
  }

  /** Takes a candidate that several words or paths of one call may bring; matching it again would change nothing but the time. */
  seeOnce(entry: Entry, facts: CallFacts): void {
    this.#asked ??= new Set();
    if (this.#asked.has(entry)) return;
    this.#asked.add(entry);
    this.see(entry, facts);
  }

  /** The deciding rule, or nothing to abstain. */
  outcome(): Entry | undefined {
    const top = this.#top;
    const held = this.#held;
    if (top === undefined || held === undefined) return top ?? held;
    return held.effect > top.effect ? held : top;
  }

  /** The first of the rules that may match, and would then decide more strictly. */
  doubt(): Entry | undefined {
    if (this.#doubts === undefined) return undefined;
    const decided = this.outcome();
    const doubts = this.#doubts.filter(
      (entry) => entry.effect > (decided?.effect ?? 0) && (entry.final || this.#isAbove(entry)),
    );
    return doubts.sort((a, b) => b.effect - a.effect || a.order - b.order)[0];
  }

  /** The matching rules in shadow, in no order. */
  get shadowed(): readonly Entry[] | undefined {
    return this.#shadows;
  }
}

/** The verdicts of rules in shadow, once each, in the order of (name, file, line). */
export function shadowVerdicts(entries: Iterable<Entry>): readonly Verdict[] {
  return [...new Set(entries)].sort((a, b) => a.order - b.order).flatMap(({ rule }) => rule.answer);
}
