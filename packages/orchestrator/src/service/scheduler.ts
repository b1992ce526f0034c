import { messageOf } from "@bylaw/kernel";
import type { Log } from "../observe/log.ts";
import { isStoreFailure } from "./store-health.ts";

/** Scheduled work. Any number of nodes may do it at once, because guards of the log refuse work that is done already. */
export interface Step {
  readonly name: string;
  /** Resolves to the number of events it recorded. */
  readonly work: () => Promise<number>;
}

export type StepOutcome = "ok" | "failed";

interface SchedulerOptions {
  readonly steps: readonly Step[];
  /** Milliseconds from one round to the next. */
  readonly every_ms: number;
  readonly log: Log;
  /** Returns whether to do nothing now. */
  readonly paused?: () => boolean;
  readonly onStep?: (step: string, outcome: StepOutcome) => void;
}

/** Repeats scheduled work. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #stopped = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#stopped) return;
    // Varies the time, so that nodes do not all start at the same moment.
    const ms = this.#options.every_ms * (0.8 + Math.random() * 0.4);
    this.#timer = setTimeout(() => void this.round().finally(() => this.start()), ms);
    this.#timer.unref();
  }

  /** Runs all steps once, in order. A failing step does not stop the others. Rounds never overlap. */
  round(): Promise<void> {
    return (this.#working ??= this.#all().finally(() => (this.#working = undefined)));
  }

  /** Resolves when the current step has ended. No other begins. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  async #all(): Promise<void> {
    const { steps, paused } = this.#options;
    for (const step of steps) {
      if (this.#stopped || paused?.() === true) return;
      await this.#do(step);
    }
  }

  async #do({ name, work }: Step): Promise<void> {
    const { log, onStep } = this.#options;
    try {
      const recorded = await work();
      if (recorded > 0) log.info({ step: name, recorded }, "a scheduled step recorded events");
      onStep?.(name, "ok");
    } catch (error) {
      if (!isStoreFailure(error))
        log.warn({ step: name, error: messageOf(error) }, "a scheduled step failed");
      onStep?.(name, "failed");
    }
  }
}
