import type { Effect, LogEvent } from "@bylaw/kernel";
import { OfferedCalls } from "@bylaw/log";
import { BoundedNames } from "./bounded-names.ts";
import { decidedBy } from "./decision-of.ts";
import { appliedEffect } from "../replay/recorded-call.ts";
import { QuestionCounter, type QuestionReport } from "./question-count.ts";
import { RetryCounter, type RetryReport } from "./retry-count.ts";

/** Decisions about tool calls, by the effect that was applied. */
export type EffectCount = Record<Effect, number>;
export type NamedEffectCount = EffectCount & { readonly name: string };

/** What was decided about the tool calls of runs. */
export interface DecisionReport {
  readonly totals: EffectCount;
  readonly rules: readonly NamedEffectCount[];
  readonly agents: readonly NamedEffectCount[];
  readonly tools: readonly NamedEffectCount[];
  /** By hour of the day, in UTC. */
  readonly hours: readonly NamedEffectCount[];
  readonly questions: QuestionReport;
  readonly retries: RetryReport;
}

const noEffects = (): EffectCount => ({ allow: 0, ask_user: 0, deny: 0 });

/** Counts decisions about tool calls over any number of runs. Memory grows with the number of different names, not of events. */
export class DecisionCounter {
  readonly #totals = noEffects();
  readonly #rules = new BoundedNames(noEffects);
  readonly #agents = new BoundedNames(noEffects);
  readonly #tools = new BoundedNames(noEffects);
  readonly #hours = new BoundedNames(noEffects);
  readonly #questions = new QuestionCounter();
  readonly #retries = new RetryCounter();
  #offers = new OfferedCalls();

  begin(): void {
    this.#offers = new OfferedCalls();
    this.#questions.begin();
    this.#retries.begin();
  }

  add(event: LogEvent): void {
    const offer = this.#offers.add(event);
    // No agent made this call, and it did not run.
    if (offer?.taken === false) return;
    this.#questions.add(event);
    const effect = appliedEffect(event);
    if (effect === undefined) return;
    if (offer === undefined) this.#retries.add(event, effect);
    else {
      this.#questions.changed(offer.sequence);
      this.#retries.changed(event.agent_id, offer.key);
    }
    const { tool } = event.details;
    this.#totals[effect] += 1;
    this.#rules.of(decidedBy(event))[effect] += 1;
    this.#agents.of(event.agent_id ?? "")[effect] += 1;
    this.#tools.of(typeof tool === "string" ? tool : "")[effect] += 1;
    this.#hours.of(new Date(event.timestamp).toISOString().slice(11, 13))[effect] += 1;
  }

  result(): DecisionReport {
    return {
      totals: this.#totals,
      rules: byCount(this.#rules),
      agents: byCount(this.#agents),
      tools: byCount(this.#tools),
      hours: namedCounts(this.#hours).toSorted(
        (one, other) => Number(one.name) - Number(other.name),
      ),
      questions: this.#questions.result(),
      retries: this.#retries.result(),
    };
  }
}

const namedCounts = (counts: BoundedNames<EffectCount>): readonly NamedEffectCount[] =>
  counts.entries.map(([name, count]) => ({ name, ...count }));

const byCount = (counts: BoundedNames<EffectCount>): readonly NamedEffectCount[] =>
  namedCounts(counts).toSorted((one, other) => sumOf(other) - sumOf(one));

/** The number of decisions in a count. */
export const sumOf = ({ allow, ask_user, deny }: EffectCount): number => allow + ask_user + deny;
