import { STRICTNESS, canonicalJson } from "@bylaw/kernel";
import type { CallFacts } from "../match/call-facts.ts";
import { RuleMatcher, type Entry, type MatchBudget } from "./rule-matcher.ts";

type Test = (entry: Entry) => boolean;

/** Finds out whether a rule that matches, or may match, objects. Tests every rule, also those that could not decide. */
export class Objections extends RuleMatcher {
  readonly #objects: Test;
  readonly #holds: Test;
  readonly #limit: MatchBudget | undefined;
  #found = false;

  /** `holds` tells whether the condition of a rule holds. */
  constructor(objects: Test, holds: Test, budget: MatchBudget | undefined) {
    super(budget);
    this.#objects = objects;
    this.#holds = holds;
    this.#limit = budget;
  }

  /** Whether an objection was found, or the work for this call reached its limit. */
  get found(): boolean {
    return this.#found || this.#limit?.spent === true;
  }

  override see(entry: Entry, facts: CallFacts): void {
    const { rule, shadow } = entry;
    if (this.#found || shadow || !this.#objects(entry)) return;
    if (this.#limit?.takes(rule, facts) === false) return;
    if (!rule.matches(facts) && rule.mayMatch?.(facts) !== true) return;
    this.#found = rule.when === undefined || this.#holds(entry);
  }

  override seeOnce(entry: Entry, facts: CallFacts): void {
    this.see(entry, facts);
  }

  override seeHeld(entry: Entry, facts: CallFacts): void {
    this.see(entry, facts);
  }
}

/**
 * What stands against allows with `overrides` if an ask decides: a final rule, and each ask or deny that they do not name. Of whatever
 * tier, because the deciding ask may hide a deny of a lower one.
 */
export const unlessOverridden =
  (by: readonly Entry[]): Test =>
  ({ rule: { source }, effect, final, tier }) =>
    effect > STRICTNESS.allow &&
    (final || !by.some((one) => one.tier >= tier && one.overrides?.has(source.name) === true));

/** What stands against the `instead` of the deciding rule: a rule that decides as strictly, and offers something else or nothing. */
export const offersOther = ({ rule: { source: decided }, effect, rank }: Entry): Test => {
  const offered = canonicalJson(decided.instead ?? null);
  return (entry) =>
    entry.effect === effect &&
    (entry.final || entry.rank >= rank) &&
    canonicalJson(entry.rule.source.instead ?? null) !== offered;
};
