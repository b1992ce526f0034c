import type { RunSummary, StoreReader } from "@bylaw/log";
import { createQuestions, type QuestionFold } from "@bylaw/orchestrator/approvals";
import { foldingView } from "../log/folding-view.ts";

/** How many of the latest runs are counted, and how many of their latest events are read. A run that waits has asked lately. */
const RUNS = 50;
const EVENTS = 500;

interface ReadRun {
  readonly head: number;
  readonly questions: QuestionFold;
}

const { view } = foldingView({ declared: { projections: [] } });

/** Counts the calls and pauses that wait for a person, in each of the latest runs of a store. A run is read only if it has grown. */
export class WaitingCounts {
  readonly #store: StoreReader;
  #read: ReadonlyMap<string, ReadRun> = new Map();

  constructor(store: StoreReader) {
    this.#store = store;
  }

  /** The counts by the names of the runs, which are given with the latest last. */
  async of(runs: readonly RunSummary[]): Promise<ReadonlyMap<string, number>> {
    const read = new Map<string, ReadRun>();
    for (const { run, head } of runs.slice(-RUNS)) {
      const before = this.#read.get(run);
      const questions = before?.head === head ? before.questions : await this.#ask(run, head);
      read.set(run, { head, questions });
    }
    this.#read = read;
    const now = Date.now();
    return new Map(
      [...read].map(([run, { questions }]) => [run, questions.open({ view, now }).length]),
    );
  }

  async #ask(run: string, head: number): Promise<QuestionFold> {
    const questions = createQuestions({ store: this.#store, run, gates: undefined });
    const after = Math.max(0, head - EVENTS);
    for (const event of await this.#store.events(run, after, EVENTS)) questions.add(event);
    return questions;
  }
}
