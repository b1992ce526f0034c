import { setTimeout as sleep } from "node:timers/promises";
import { busy, failure, isBusy } from "./errors.ts";

const MAX_PAUSE_MS = 16;

/** How a store waits for other connections to its file. It does not block the process, and gives up after `busy_ms`. */
export class BusyWait {
  readonly #file: string;
  readonly #busy_ms: number;

  constructor(file: string, busy_ms: number) {
    this.#file = file;
    this.#busy_ms = busy_ms;
  }

  /** Repeats the work while the file is locked. Throws BYLAW_STORE_BUSY when the time is over, and anything else that the work throws. */
  async wait<T>(work: () => T): Promise<T> {
    const end = performance.now() + this.#busy_ms;
    for (let pause = 1; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() > end) throw busy(this.#file, this.#busy_ms);
      }
      await sleep(pause);
    }
  }

  /** Reads from a store. `checkOpen` throws if it is closed, which may also happen while this call waits. */
  async read<T>(checkOpen: () => void, work: () => T): Promise<T> {
    checkOpen();
    try {
      return await this.wait(() => {
        checkOpen();
        return work();
      });
    } catch (error) {
      throw failure(this.#file, error);
    }
  }
}
