import type { Effect, Verdict } from "@bylaw/kernel";
import type { CallFacts } from "./facts.ts";
import type { RuleIndex } from "./rule-index.ts";
import { LookBudget, Tally, shadowVerdicts, type Entry } from "./tally.ts";
import { doubtOf, tooMuch, unknownLine, unknownOf, type Concerns } from "./unknown.ts";

/** What the rules come to for a call, or for one command of its line. */
interface Hearing {
  readonly facts: CallFacts;
  readonly tally: Tally;
}

/** A call before the rules. A shell line is heard command by command, and each must be allowed. */
export class CallHearing {
  readonly whole: CallFacts;
  readonly #hearings: readonly Hearing[];
  readonly #budget: LookBudget | undefined;

  /** `bounded`: only so many rules are looked at; a call with more to look at is not known. */
  constructor(whole: CallFacts, collect: RuleIndex, { bounded }: { readonly bounded: boolean }) {
    this.whole = whole;
    this.#budget = bounded ? new LookBudget() : undefined;
    const hear = (facts: CallFacts): Hearing => {
      const tally = new Tally(this.#budget);
      if (this.#budget?.spent !== true) collect(facts, tally);
      return { facts, tally };
    };
    // Most calls run no line: a list of one is made without a walk.
    this.#hearings = whole.line === null ? [hear(whole)] : whole.commands.map(hear);
  }

  /** The rules that match some command if their conditions hold, and would count. */
  open(): readonly Entry[] {
    return [...new Set(this.#hearings.flatMap(({ tally }) => tally.open()))];
  }

  /** Takes the rules whose conditions hold. */
  settle(holds: (entry: Entry) => boolean): void {
    for (const { tally } of this.#hearings) for (const entry of tally.open()) if (holds(entry)) tally.take(entry);
  }

  /** The strictest of what the commands come to; among equals the least rule by (name, file, line). Shadows of all of them. */
  votes(concerns: Concerns, fallback: Effect | undefined): readonly Verdict[] | undefined {
    const line = this.#budget?.spent === true ? tooMuch(fallback) : unknownLine(this.whole, concerns, fallback);
    let rank = line === undefined ? -1 : rankOf(line.effect, { rule: false });
    let order = Number.POSITIVE_INFINITY;
    let answer: readonly Verdict[] | undefined = line === undefined ? undefined : [line];
    let shadows: Entry[] | undefined;
    for (const { facts, tally } of this.#hearings) {
      const decided = tally.outcome();
      const effect = decided?.rule.source.effect;
      if (facts.part?.suspect === true && (effect === undefined || effect === "allow")) continue;
      const doubt = unknownOf(facts, concerns, effect, fallback) ?? doubtOf(facts, tally.doubt(), effect, fallback);
      const height = doubt === undefined ? rankOf(effect, { rule: true }) : rankOf(doubt.effect, { rule: false });
      const place = doubt === undefined ? (decided?.order ?? 0) : 0;
      if (height > rank || (height === rank && place < order)) {
        rank = height;
        order = place;
        answer = doubt === undefined ? decided?.rule.answer : [doubt];
      }
      if (tally.shadowed !== undefined) (shadows ??= []).push(...tally.shadowed);
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
