import { STRICTNESS } from "@bylaw/kernel";
import type { CallFacts } from "../match/call-facts.ts";
import { RuleMatcher, type Entry, type MatchBudget } from "./rule-matcher.ts";

/**
 * Finds out whether anything stands against an allow with `overrides`: a deny, or an ask that it does not name. Tests every rule that
 * may match, of whatever tier, because the deciding ask may hide a deny of a lower one.
 */
export class Objections extends RuleMatcher {
  readonly #by: readonly Entry[];
  readonly #holds: (entry: Entry) => boolean;
  readonly #limit: MatchBudget | undefined;
  #found = false;

  /** `holds` tells whether the condition of a rule holds. */
  constructor(
    by: readonly Entry[],
    holds: (entry: Entry) => boolean,
    budget: MatchBudget | undefined,
  ) {
    super(budget);
    this.#by = by;
    this.#holds = holds;
    this.#limit = budget;
  }

  /** Whether an objection was found, or the work for this call reached its limit. */
  get found(): boolean {
    return this.#found || this.#limit?.spent === true;
  }

  override see(entry: Entry, facts: CallFacts): void {
    const { rule, shadow, effect } = entry;
    if (this.#found || shadow || effect === STRICTNESS.allow || this.#isOverridden(entry)) return;
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

  #isOverridden({ rule: { source }, effect, final, tier }: Entry): boolean {
    return (
      effect === STRICTNESS.ask_user &&
      !final &&
      this.#by.some((one) => one.tier >= tier && one.overrides?.has(source.name) === true)
    );
  }
}
