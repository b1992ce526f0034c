import { setTimeout as sleep } from "node:timers/promises";
import { busy, isBusy } from "./errors.ts";

/** How a store waits for other connections to its file. It does not block the process, and gives up after `busy_ms`. */
export interface BusyWait {
  readonly busy_ms: number;
  /** Repeats the work while the file is locked. Throws BYLAW_STORE_BUSY when the time is over, and anything else that the work throws. */
  wait<T>(work: () => T): Promise<T>;
}

const LONGEST_PAUSE = 16;

export function createBusyWait(file: string, busy_ms: number): BusyWait {
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
