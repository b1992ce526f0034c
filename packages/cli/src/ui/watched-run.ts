import { messageOf, type LogEvent } from "@bylaw/kernel";
import { OverviewHistory } from "@bylaw/dashboard";
import { foldName, type StoreReader } from "@bylaw/log";
import { createQuestions, openQuestion, type OpenQuestion } from "@bylaw/orchestrator/approvals";
import { Feed, LogFollower } from "@bylaw/orchestrator/events";
import type { Project } from "../approve/session.ts";
import { foldingView } from "../log/folding-view.ts";

/** A run that the page shows. Its log is read and verified once, in the background. */
export interface WatchedRun {
  readonly overview: OverviewHistory;
  readonly follower: LogFollower;
  readonly feed: Feed;
  /** What waits for a person, at most 100 questions, and how many there are. */
  readonly questions: () => Promise<{
    readonly approvals: readonly OpenQuestion[];
    readonly total: number;
  }>;
  /** How many questions there are; `undefined` until all of the log was read. */
  readonly waits: (head: number) => number | undefined;
  /** Whether an agent of the run has this name, as far as the log was read. */
  readonly isAgent: (name: string) => boolean;
  /** Why the log cannot be read or verified any further; `null` if it can. */
  readonly broken: () => string | null;
  readonly close: () => Promise<void>;
}

const NOTHING_DECLARED = { declared: { projections: [] } };
/** How many questions are listed. */
const LISTED = 100;

/** `project`: its gates are listed too. Without it, a store is shown without running the code of a configuration. */
export function watchRun(
  store: StoreReader,
  run: string,
  project: Pick<Project, "kernel" | "gates"> | undefined,
): WatchedRun {
  const overview = new OverviewHistory();
  const gates = project?.gates;
  const asked = createQuestions({ store, run, gates });
  const states = foldingView(project?.kernel ?? NOTHING_DECLARED);
  const fold = {
    add(events: readonly LogEvent[]): void {
      for (const event of events) {
        asked.add(event);
        states.add(event);
      }
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
      const open = asked.open({ view: states.view, now: Date.now() });
      const approvals: OpenQuestion[] = [];
      for (const one of open.slice(0, LISTED)) approvals.push(openQuestion(await asked.read(one)));
      return { approvals, total: open.length };
    },
    waits: (head) =>
      follower.head < head ? undefined : asked.open({ view: states.view, now: Date.now() }).length,
    isAgent: (name) => asked.agents.has(foldName(name)),
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
  readonly #project: Project | undefined;
  readonly #runs = new Map<string, WatchedRun>();

  constructor(store: StoreReader, project?: Project) {
    this.#store = store;
    this.#project = project;
  }

  get(run: string): WatchedRun {
    const watched = this.#runs.get(run) ?? watchRun(this.#store, run, this.#project);
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
