import type { RunSummary, StoreReader } from "@bylaw/log";
import { createQuestions } from "@bylaw/orchestrator/approvals";
import { foldingView } from "../log/folding-view.ts";

/** How many of the latest runs are counted, and how many of their latest events are read. Whoever waits has asked lately. */
const RUNS = 50;
const EVENTS = 500;

interface Counted {
  readonly head: number;
  readonly waits: number;
}

const { view } = foldingView({ declared: { projections: [] } });

/** Counts the calls and pauses that wait for a person, in each of the latest runs of a store. A run is read only if it has grown. */
export class WaitingCounts {
  readonly #store: StoreReader;
  #counted: ReadonlyMap<string, Counted> = new Map();

  constructor(store: StoreReader) {
    this.#store = store;
  }

  /** The counts by the names of the runs, which are given with the latest last. */
  async of(runs: readonly RunSummary[]): Promise<ReadonlyMap<string, number>> {
    const counted = new Map<string, Counted>();
    for (const { run, head } of runs.slice(-RUNS)) {
      const before = this.#counted.get(run);
      counted.set(
        run,
        before?.head === head ? before : { head, waits: await this.#read(run, head) },
      );
    }
    this.#counted = counted;
    return new Map([...counted].map(([run, { waits }]) => [run, waits]));
  }

  async #read(run: string, head: number): Promise<number> {
    const questions = createQuestions({ store: this.#store, run, gates: undefined });
    const after = Math.max(0, head - EVENTS);
    for (const event of await this.#store.events(run, after, EVENTS)) questions.add(event);
    return questions.open({ view, now: Date.now() }).length;
  }
}
