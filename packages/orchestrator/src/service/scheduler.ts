import { messageOf } from "@bylaw/kernel";
import type { Log } from "../observe/log.ts";
import { isStoreFailure } from "./store-health.ts";

/** Work that becomes due with time. Any number of nodes may do it at once: the guards of the log refuse what was done already. */
export interface Step {
  readonly name: string;
  /** Resolves to how many events it recorded. */
  readonly work: () => Promise<number>;
}

export type StepOutcome = "ok" | "failed";

interface SchedulerTerms {
  readonly steps: readonly Step[];
  /** Milliseconds from one round to the next. */
  readonly every_ms: number;
  readonly log: Log;
  /** Whether nothing is done now. */
  readonly paused?: () => boolean;
  readonly onStep?: (step: string, outcome: StepOutcome) => void;
}

/** Does from time to time what is due. */
export class Scheduler {
  readonly #terms: SchedulerTerms;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #stopped = false;

  constructor(terms: SchedulerTerms) {
    this.#terms = terms;
  }

  start(): void {
    if (this.#stopped) return;
    // Not all nodes at the same moment.
    const ms = this.#terms.every_ms * (0.8 + Math.random() * 0.4);
    this.#timer = setTimeout(() => void this.round().finally(() => this.start()), ms);
    this.#timer.unref();
  }

  /** Does all steps once, in order; a step that fails does not stop the others. Never two rounds at once. */
  round(): Promise<void> {
    return (this.#working ??= this.#all().finally(() => (this.#working = undefined)));
  }

  /** Resolves when the step that is at work has ended; no other begins. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  async #all(): Promise<void> {
    const { steps, paused } = this.#terms;
    for (const step of steps) {
      if (this.#stopped || paused?.() === true) return;
      await this.#do(step);
    }
  }

  async #do({ name, work }: Step): Promise<void> {
    const { log, onStep } = this.#terms;
    try {
      const recorded = await work();
      if (recorded > 0) log.info({ step: name, recorded }, "what was due is on record");
      onStep?.(name, "ok");
    } catch (error) {
      if (!isStoreFailure(error))
        log.warn({ step: name, error: messageOf(error) }, "what was due could not be done");
      onStep?.(name, "failed");
    }
  }
}
