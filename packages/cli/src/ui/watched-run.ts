import { messageOf } from "@bylaw/kernel";
import { Overview } from "@bylaw/dashboard";
import type { StoreReader } from "@bylaw/log";
import { Feed, LogFollower } from "@bylaw/orchestrator/events";

/** A run that the page shows. Its log is read and verified once, in the background. */
export interface WatchedRun {
  readonly overview: Overview;
  readonly follower: LogFollower;
  readonly feed: Feed;
  /** Why the log cannot be read or verified any further; `null` if it can. */
  readonly broken: () => string | null;
  readonly close: () => Promise<void>;
}

export function watchRun(store: StoreReader, run: string): WatchedRun {
  const overview = new Overview();
  const follower = new LogFollower(store, run, [overview]);
  let broken: string | null = null;
  const failed = (error: unknown): void => {
    broken = messageOf(error);
  };
  // A store that cannot be watched is still polled.
  const feed = new Feed({ store, run, known: () => follower.head, onError: () => {} });
  return {
    ...{ overview, follower, feed },
    broken() {
      follower.fresh().catch(failed);
      return broken;
    },
    async close() {
      feed.close();
      await follower.close();
    },
  };
}

/** How many runs are kept in memory. */
const KEPT = 8;

/** The runs of a store that were asked for last. */
export class WatchedRuns {
  readonly #store: StoreReader;
  readonly #runs = new Map<string, WatchedRun>();

  constructor(store: StoreReader) {
    this.#store = store;
  }

  get(run: string): WatchedRun {
    const watched = this.#runs.get(run) ?? watchRun(this.#store, run);
    this.#runs.delete(run);
    this.#runs.set(run, watched);
    const [[oldest, other] = []] = this.#runs;
    if (this.#runs.size > KEPT && oldest !== undefined) {
      this.#runs.delete(oldest);
      void other?.close();
    }
    return watched;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.close()));
  }
}
