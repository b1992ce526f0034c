import { STRICTNESS, type Verdict } from "@bylaw/kernel";
import type { CallFacts } from "../match/call-facts.ts";
import type { Rule, Tier } from "../compile/rule.ts";
import { MAX_NAMED } from "../compile/rule-parts.ts";

const TIER_RANK: Readonly<Record<Tier, number>> = { default: 0, workspace: 1, user: 2, admin: 3 };

/** A rule with its rank in one pool. */
export interface Entry {
  readonly rule: Rule;
  /** The position of the rule when all are sorted by (name, file, line). */
  readonly order: number;
  /** The strictness of the effect alone. */
  readonly effect: number;
  /** The tier and, within it, the strictness of the effect. An allow with `overrides` outranks no other rule. */
  readonly rank: number;
  readonly tier: number;
  /** The names of the rules that it overrides. */
  readonly overrides: ReadonlySet<string> | undefined;
  readonly shadow: boolean;
  readonly final: boolean;
}

/** Sorts rules by (name, file, line) and computes the rank of each. */
export function rankRules(rules: readonly Rule[]): readonly Entry[] {
  return rules.toSorted(compareRules).map((rule, order) => {
    const { effect, shadow, final, overrides } = rule.source;
    const strictness = STRICTNESS[effect];
    const tier = TIER_RANK[rule.source.tier];
    return {
      rule,
      order,
      effect: strictness,
      rank: (overrides === undefined ? tier * 3 : 0) + strictness,
      tier,
      overrides: overrides === undefined ? undefined : new Set(overrides),
      shadow,
      final,
    };
  });
}

function compareRules({ source: a }: Rule, { source: b }: Rule): number {
  return compare(a.name, b.name) || compare(a.file, b.file) || a.line - b.line;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

// About 50 ms of work, during which the process answers no other call.
const MAX_WORK = 250_000;
const LOOK = 8;
const PATH = 4;

type Programs = NonNullable<Rule["programs"]>;

const counts = new WeakMap<Programs, ReadonlyMap<string | undefined, number>>();

// How many of the patterns are about a program, by its name in lower case.
function patternsAbout(programs: Programs, name: string): number {
  let all = counts.get(programs);
  if (all === undefined) {
    const groups = Map.groupBy(programs, ({ program }) => program?.toLowerCase());
    all = new Map(Array.from(groups, ([key, { length }]) => [key, length]));
    counts.set(programs, all);
  }
  return all.get(name) ?? 0;
}

/** A limit on the work for one call with all its commands, in comparisons of rules with words and paths. */
export class MatchBudget {
  #left = MAX_WORK;

  /** Whether the work exceeded the limit. */
  get spent(): boolean {
    return this.#left < 0;
  }

  /** Runs `look` and charges its cost once for each time that the line contains the command. */
  take({ part }: CallFacts, look: () => void): void {
    const before = this.#left;
    look();
    if (part !== null) this.#left -= (before - this.#left) * (part.times - 1);
  }

  takes(
    { source, programs, regex, readPaths, writePaths, mayMatch }: Rule,
    facts: CallFacts,
  ): boolean {
    if (this.#left < 0) return false;
    const { part } = facts;
    this.#left -= LOOK;
    if (part !== null) {
      this.#left -= part.words.length * (part.starts <= 1 ? 1 : regex === undefined ? 2 : 8);
      // If every word may begin a command, a deny or ask compares each start together with all words after it.
      if (programs !== undefined && source.effect !== "allow")
        for (const [name, starts] of part.repeated) {
          const compared = Math.min(starts, MAX_NAMED) * patternsAbout(programs, name);
          this.#left -= (part.words.length * compared) >> 2;
        }
    }
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
 * Collects the matching rules of one call. The highest tier decides, and within it the strictest effect. A final rule holds
 * whatever higher tiers say. Among equals the first by (name, file, line) wins, so the order in which rules are seen never matters.
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
  #overriding: Entry[] | undefined = undefined;
  readonly #conditions: boolean;

  /**
   * Once `budget` is spent, further candidates are ignored, so the call must not be allowed. `conditions`: every condition counts, also
   * those of rules that could not decide.
   */
  constructor(
    budget?: MatchBudget,
    { conditions = false }: { readonly conditions?: boolean } = {},
  ) {
    this.#budget = budget;
    this.#conditions = conditions;
  }

  /** Tests a candidate. Testing the same one twice changes nothing. */
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

  /** Tests a candidate whose condition is known to hold, or that has none. */
  seeHeld(entry: Entry, facts: CallFacts): void {
    if (this.#accepts(entry, facts)) this.take(entry);
  }

  /** The candidates that match except for a condition still to be evaluated, and that could change the outcome. */
  open(): readonly Entry[] {
    return this.#open === undefined ? [] : [...this.#open].filter((entry) => this.#counts(entry));
  }

  /** Adds a rule that matches, or may match. */
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
    if (entry.overrides !== undefined) (this.#overriding ??= []).push(entry);
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
    // Whether a call is doubtful may depend on its paths, and reading these takes longer than deciding.
    const { mayMatch } = rule;
    if (shadow || mayMatch === undefined || !facts.doubtful || !mayMatch(facts)) return false;
    (this.#doubted ??= new Set()).add(entry);
    return true;
  }

  #counts(entry: Entry): boolean {
    return (
      this.#isAbove(entry) ||
      entry.final ||
      entry.shadow ||
      entry.overrides !== undefined ||
      (this.#conditions && entry.rule.when !== undefined)
    );
  }

  #isAbove({ rank, order }: Entry): boolean {
    const top = this.#top;
    return top === undefined || rank > top.rank || (rank === top.rank && order < top.order);
  }

  /** Tests a candidate that several words or paths of one call may lead to. Testing it again would only cost time. */
  seeOnce(entry: Entry, facts: CallFacts): void {
    if (!this.#counts(entry)) return;
    this.#asked ??= new Set();
    if (this.#asked.has(entry)) return;
    this.#asked.add(entry);
    this.see(entry, facts);
  }

  /** The deciding rule. Undefined to abstain. */
  outcome(): Entry | undefined {
    const top = this.#top;
    const held = this.#held;
    if (top === undefined || held === undefined) return top ?? held;
    return held.effect > top.effect ? held : top;
  }

  /** The matching allows with `overrides`, if an ask decides that they might override. */
  overriding(): readonly Entry[] | undefined {
    return this.outcome()?.effect === STRICTNESS.ask_user ? this.#overriding : undefined;
  }

  /** The first of the rules that may match and would decide more strictly than {@link outcome}. */
  doubt(): Entry | undefined {
    if (this.#doubts === undefined) return undefined;
    const decided = this.outcome();
    const doubts = this.#doubts.filter(
      (entry) => entry.effect > (decided?.effect ?? 0) && (entry.final || this.#isAbove(entry)),
    );
    return doubts.sort((a, b) => b.effect - a.effect || a.order - b.order)[0];
  }

  /** The matching rules in shadow, unsorted. */
  get shadowed(): readonly Entry[] | undefined {
    return this.#shadows;
  }
}

/** The verdicts of rules in shadow, without duplicates, in the order of (name, file, line). */
export function shadowVerdicts(entries: Iterable<Entry>): readonly Verdict[] {
  return [...new Set(entries)].sort((a, b) => a.order - b.order).flatMap(({ rule }) => rule.answer);
}
