import type { Log } from "../observe/logger.ts";
import { messageOf } from "@bylaw/kernel";
import { isStoreFailure } from "./store-health.ts";

/** Something that time makes due. Any number of nodes may do it at once: the guards of the log refuse what was done already. */
export interface Step {
  readonly name: string;
  /** Resolves to how much it recorded. */
  readonly work: () => Promise<number>;
}

/** What a step came to. */
export type StepOutcome = "ok" | "failed";

/** Does from time to time what is due. */
export interface Scheduler {
  /** Does all steps once, one after the other; one that fails keeps no other from its turn. Never two rounds at once. */
  round(): Promise<void>;
  start(): void;
  /** Resolves when the step that is at work has ended; no other begins. */
  stop(): Promise<void>;
}

interface SchedulerTerms {
  readonly steps: readonly Step[];
  /** Milliseconds from one round to the next. */
  readonly every_ms: number;
  readonly log: Log;
  /** Whether nothing is done now. */
  readonly paused?: () => boolean;
  readonly onStep?: (step: string, outcome: StepOutcome) => void;
}

export function createScheduler({
  steps,
  every_ms,
  log,
  paused = () => false,
  onStep = () => {},
}: SchedulerTerms): Scheduler {
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let stopped = false;

  async function all(): Promise<void> {
    for (const { name, work } of steps) {
      if (stopped || paused()) return;
      try {
        const recorded = await work();
        if (recorded > 0) log.info({ step: name, recorded }, "what was due is on record");
        onStep(name, "ok");
      } catch (error) {
        if (!isStoreFailure(error))
          log.warn({ step: name, error: messageOf(error) }, "what was due could not be done");
        onStep(name, "failed");
      }
    }
  }

  const round = (): Promise<void> => (working ??= all().finally(() => (working = undefined)));

  function next(): void {
    if (stopped) return;
    // Not all nodes at the same moment.
    timer = setTimeout(() => void round().finally(next), every_ms * (0.8 + Math.random() * 0.4));
    timer.unref();
  }

  return {
    round,
    start: next,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await working;
    },
  };
}
