import { admit, isAdmitted, withFacts } from "./admit.ts";
import type { AppliedPlugins, Preparer } from "./apply-plugins.ts";
import { failedVote, within } from "./hook-runner.ts";
import { freezeJson, isJsonObject, type JsonObject } from "./json.ts";
import type { Subject } from "./subject.ts";
import type { Vote } from "./verdict.ts";

interface Prepared {
  readonly facts: Record<string, JsonObject>;
  readonly failures: Vote[];
}

/** Asks plugins for the facts of a subject, in their order. */
export class Preparation {
  readonly #applied: AppliedPlugins;
  readonly #deadline_ms: number;
  // Failures are votes of the later decision.
  readonly #failures = new WeakMap<Subject, readonly Vote[]>();

  constructor(applied: AppliedPlugins, deadline_ms: number) {
    this.#applied = applied;
    this.#deadline_ms = deadline_ms;
  }

  /** The votes of the plugins that could not prepare a subject. */
  failuresOf(subject: Subject): readonly Vote[] | undefined {
    return this.#failures.get(subject);
  }

  /** The subject with its facts, at once where every plugin answers at once. Throws for what cannot be admitted. */
  prepare(input: Subject): Subject | Promise<Subject> {
    const { context, preparers } = this.#applied;
    if (isAdmitted(input, context)) return input;
    const subject = admit(input, context);
    if (preparers.length === 0) return subject;
    const prepared: Prepared = { facts: {}, failures: [] };
    for (const [at, preparer] of preparers.entries()) {
      const pending = this.#ask(preparer, subject, prepared);
      if (pending !== undefined) return this.#later(subject, prepared, pending, at + 1);
    }
    return this.#stamp(subject, prepared);
  }

  async #later(
    subject: Subject,
    prepared: Prepared,
    pending: Promise<void>,
    next: number,
  ): Promise<Subject> {
    await pending;
    for (const preparer of this.#applied.preparers.slice(next))
      await this.#ask(preparer, subject, prepared);
    return this.#stamp(subject, prepared);
  }

  #ask(preparer: Preparer, subject: Subject, prepared: Prepared): Promise<void> | undefined {
    const { context, tap, work } = preparer;
    const { plugin, from } = context;
    const keep = (given: unknown): void => {
      const facts = factsOf(given);
      if (facts !== undefined)
        prepared.facts[plugin] = Object.freeze({ ...prepared.facts[plugin], ...facts });
    };
    const fail = (error: unknown): void =>
      void prepared.failures.push(failedVote({ plugin, tap, from }, error));
    try {
      const given: unknown = work(subject);
      if (given instanceof Promise)
        return within(this.#deadline_ms, () => given)
          .then(keep)
          .catch(fail);
      keep(given);
    } catch (error) {
      fail(error);
    }
    return undefined;
  }

  #stamp(subject: Subject, { facts, failures }: Prepared): Subject {
    if (failures.length === 0 && Object.keys(facts).length === 0) return subject;
    const stamped = withFacts(subject, this.#applied.context, facts);
    if (failures.length > 0) this.#failures.set(stamped, failures);
    return stamped;
  }
}

function factsOf(given: unknown): JsonObject | undefined {
  if (given === undefined) return undefined;
  const facts = freezeJson(given);
  if (isJsonObject(facts)) return facts;
  throw new Error("`prepare` must answer with an object or nothing");
}
