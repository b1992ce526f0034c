import { setTimeout as sleep } from "node:timers/promises";
import { busy, isBusy } from "./errors.ts";

/** How a store waits for other connections to its file: without stopping the process, and not for ever. */
export interface Patience {
  readonly busy_ms: number;
  /** Does the work again until nobody is in its way. Throws BYLAW_STORE_BUSY at the end, and what the work throws. */
  wait<T>(work: () => T): Promise<T>;
}

const LONGEST_PAUSE = 16;

export function createPatience(file: string, busy_ms: number): Patience {
  return {
    busy_ms,
    async wait(work) {
      const end = performance.now() + busy_ms;
      for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
        try {
          return work();
        } catch (error) {
          if (!isBusy(error)) throw error;
          if (performance.now() > end) throw busy(file, busy_ms);
        }
        await sleep(pause);
      }
    },
  };
}
