import type { LogEvent } from "@bylaw/kernel";
import { NO_HEAD, followChain, readEvents } from "@bylaw/log";
import type { Store } from "@bylaw/store";

/** Gets the events of a run in order, each once. */
export interface LogFold {
  add(events: readonly LogEvent[]): void | Promise<void>;
}

/** How many events are read at once. Each may be as large as a request. */
const PAGE = 128;

/** Reads a run once, from its beginning, for everything that is kept in memory about it, and verifies its chain. */
export class LogFollower {
  readonly #events: ReturnType<typeof readEvents>;
  readonly #run: string;
  readonly #folds: readonly LogFold[];
  #chain = NO_HEAD;
  #closed = false;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** The sequence of the last event that was taken. */
  head = 0;

  constructor(store: Pick<Store, "events">, run: string, folds: readonly LogFold[]) {
    this.#events = readEvents(store, run);
    this.#run = run;
    this.#folds = folds;
  }

  /**
   * Resolves when every event that was durable at the time of this call has been taken. Throws what the store throws, and
   * BYLAW_CHAIN_BROKEN for an event that does not follow from the one before it.
   */
  fresh(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    if (this.#running === undefined) return this.#start();
    // The running pass may have begun before the latest event was durable. One more pass serves all callers since then.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  /** Ends after the current page. Later calls take nothing. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([this.#running, this.#next]);
  }

  #start(): Promise<void> {
    const current = this.#pass().finally(() => {
      if (this.#running === current) this.#running = undefined;
    });
    this.#running = current;
    return current;
  }

  async #pass(): Promise<void> {
    while (!this.#closed) {
      const page = await this.#events(this.#run, this.head, PAGE);
      this.#chain = followChain(this.#run, this.#chain, page);
      for (const fold of this.#folds) await fold.add(page);
      this.head = page.at(-1)?.sequence ?? this.head;
      if (page.length < PAGE) return;
      // The first read of a long log takes a while, so yield to others in between.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
