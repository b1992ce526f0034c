import { messageOf, type LogEvent } from "@bylaw/kernel";
import { OverviewHistory } from "@bylaw/dashboard";
import type { StoreReader } from "@bylaw/log";
import { createQuestions, type Question } from "@bylaw/orchestrator/approvals";
import { Feed, LogFollower } from "@bylaw/orchestrator/events";

/** A run that the page shows. Its log is read and verified once, in the background. */
export interface WatchedRun {
  readonly overview: OverviewHistory;
  readonly follower: LogFollower;
  readonly feed: Feed;
  /** The calls, pauses and holds that wait for a person, at most 100 of them, and how many there are. */
  readonly questions: () => Promise<{
    readonly approvals: readonly (Question & { readonly state: "open" })[];
    readonly total: number;
  }>;
  /** Why the log cannot be read or verified any further; `null` if it can. */
  readonly broken: () => string | null;
  readonly close: () => Promise<void>;
}

/** How many questions are listed. */
const LISTED = 100;

export function watchRun(store: StoreReader, run: string): WatchedRun {
  const overview = new OverviewHistory();
  // Gates would need the contract, and a store is shown without running the code of a configuration.
  const asked = createQuestions({ store, run, gates: undefined });
  const fold = {
    add(events: readonly LogEvent[]): void {
      for (const event of events) asked.add(event);
    },
  };
  const follower = new LogFollower(store, run, [overview, fold]);
  let broken: string | null = null;
  const failed = (error: unknown): void => {
    broken = messageOf(error);
  };
  // A store that cannot be watched is still polled.
  const feed = new Feed({ store, run, known: () => follower.head, onError: () => {} });
  return {
    ...{ overview, follower, feed },
    async questions() {
      await follower.fresh();
      const open = asked.open({ view: ({ initial }) => initial, now: Date.now() });
      const approvals = [];
      for (const one of open.slice(0, LISTED))
        approvals.push({ ...(await asked.read(one)), state: "open" as const });
      return { approvals, total: open.length };
    },
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
