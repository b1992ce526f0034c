import type { LogEvent } from "@bylaw/kernel";
import { NO_HEAD, followChain, readEvents } from "@bylaw/log";
import type { Store } from "@bylaw/store";

/** Takes the events of a run in their order, each once. */
export interface LogFold {
  add(events: readonly LogEvent[]): void | Promise<void>;
}

/** Reads a run once, from its beginning, for all that is folded from it in memory. What it holds can be lost: the log has it. */
export interface LogFollower {
  /** Sequence of the last event that was taken. */
  readonly head: number;
  /** Resolves when all that was durable at the time of this call has been taken. Throws what the store throws. */
  fresh(): Promise<void>;
  /** Ends after the page that is being read; later calls take nothing. */
  close(): Promise<void>;
}

/** How many events are read at once: each may be as large as a request. */
const PAGE = 128;

/** Follows the chain of the log too. `fresh` throws BYLAW_CHAIN_BROKEN where an event does not follow from the one before it. */
export function createLogFollower(
  store: Pick<Store, "events">,
  run: string,
  folds: readonly LogFold[],
): LogFollower {
  const events = readEvents(store, run);
  let chain = NO_HEAD;
  let head = 0;
  let closed = false;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function pass(): Promise<void> {
    for (;;) {
      if (closed) return;
      const page = await events(run, head, PAGE);
      chain = followChain(run, chain, page);
      for (const fold of folds) await fold.add(page);
      head = page.at(-1)?.sequence ?? head;
      if (page.length < PAGE) return;
      // A long log is read at the beginning; others have their turn in between.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  function start(): Promise<void> {
    const current = pass().finally(() => {
      if (running === current) running = undefined;
    });
    running = current;
    return current;
  }

  return {
    get head() {
      return head;
    },
    fresh() {
      if (closed) return Promise.resolve();
      if (running === undefined) return start();
      // What is being read may have been asked for before the latest event was durable; one more pass serves all who came since.
      next ??= running
        .catch(() => {})
        .then(() => {
          next = undefined;
          return start();
        });
      return next;
    },
    async close() {
      closed = true;
      await Promise.allSettled([running, next]);
    },
  };
}
