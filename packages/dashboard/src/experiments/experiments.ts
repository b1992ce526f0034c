import { setImmediate as turnOfLoop } from "node:timers/promises";
import { isChainBroken, readEvents } from "@bylaw/log";
import type { EventSource } from "../read-rows.ts";
import type { ComparedExperiment, ExperimentsSeen } from "./figures.ts";
import { FoundExperiments } from "./found-experiments.ts";
import { RunTasks } from "./run-tasks.ts";

/** Where the runs of experiments are read from. */
export interface ExperimentSource extends EventSource {
  /** The runs, the one with the latest event last. `head`: the sequence of the last event. */
  runs(): Promise<readonly { readonly run: string; readonly head: number }[]>;
}

interface RunRead {
  readonly tasks: RunTasks;
  readonly events: EventSource["events"];
  head: number;
  broken: string | null;
}

/** How many runs count, and tasks of a version. */
const RUNS = 1_000;
const TASKS = 20_000;
/** How many events are read at once, and how many at most for one request. */
const READ = 500;
const MAX_EVENTS = 20_000;
/** Comparing takes at most this part of the time. */
const SHARE = 0.1;

interface Limits {
  readonly runs?: number;
  readonly tasks?: number;
  /** Milliseconds, of a clock that never goes back. */
  readonly time?: () => number;
}

/** Compares the experiments of a store. It keeps what it has read, so a request costs what is new. */
export class Experiments {
  readonly #source: ExperimentSource;
  readonly #limits: Required<Limits>;
  readonly #found: FoundExperiments;
  readonly #runs = new Map<string, RunRead>();
  /** Runs that no longer count. Reading them again would count their tasks twice. */
  readonly #closed = new Set<string>();
  #running: Promise<ExperimentsSeen> | undefined;
  #compared: readonly ComparedExperiment[] = [];
  #isStale = false;
  /** When to compare again at the earliest. */
  #next = 0;

  constructor(
    source: ExperimentSource,
    { runs = RUNS, tasks = TASKS, time = () => performance.now() }: Limits = {},
  ) {
    this.#source = source;
    this.#limits = { runs, tasks, time };
    this.#found = new FoundExperiments(tasks);
  }

  /** Reads at most 20,000 new events, and compares once all were read. Requests at the same time get the same answer. */
  read(): Promise<ExperimentsSeen> {
    this.#running ??= this.#read().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #read(): Promise<ExperimentsSeen> {
    const all = await this.#source.runs();
    const counted = all.slice(-this.#limits.runs);
    this.#begin(counted.map(({ run }) => run));
    let left = MAX_EVENTS;
    let isBehind = false;
    const events = { read: 0, all: 0 };
    for (const { run, head } of counted) {
      const known = this.#runs.get(run);
      if (known === undefined) continue;
      left -= await this.#readRun(run, known, Math.min(head, known.head + left));
      events.read += known.head;
      events.all += known.broken === null ? Math.max(head, known.head) : known.head;
      isBehind ||= left <= 0 && known.broken === null && known.head < head;
    }
    const broken = [...this.#runs.values()].flatMap((one) => one.broken ?? []);
    const most_tasks = this.#found.hasLeftOut ? this.#limits.tasks : null;
    const runs = { counted: this.#runs.size, all: all.length };
    const experiments = isBehind ? null : await this.#compare();
    return { runs, events, most_tasks, broken, experiments };
  }

  #begin(counted: readonly string[]): void {
    const wanted = new Set(counted);
    for (const run of this.#runs.keys())
      if (!wanted.has(run)) {
        this.#runs.delete(run);
        this.#closed.add(run);
      }
    for (const run of counted) {
      if (this.#runs.has(run) || this.#closed.has(run)) continue;
      const tasks = new RunTasks({ found: this.#found, most: 2 * this.#limits.tasks });
      this.#runs.set(run, {
        ...{ tasks, events: readEvents(this.#source, run), head: 0, broken: null },
      });
    }
  }

  async #readRun(run: string, read: RunRead, until: number): Promise<number> {
    const from = read.head;
    try {
      while (read.broken === null && read.head < until) {
        const events = await read.events(run, read.head, Math.min(READ, until - read.head));
        for (const event of events) {
          this.#isStale = read.tasks.add(event) || this.#isStale;
          read.head = event.sequence;
        }
        if (events.length === 0) break;
        await turnOfLoop();
      }
    } catch (error) {
      if (!isChainBroken(error)) throw error;
      read.broken = error.message;
    }
    return read.head - from;
  }

  async #compare(): Promise<readonly ComparedExperiment[]> {
    const began = this.#limits.time();
    if (!this.#isStale || began < this.#next) return this.#compared;
    this.#isStale = false;
    this.#compared = await this.#found.compare();
    const ended = this.#limits.time();
    this.#next = ended + (ended - began) / SHARE;
    return this.#compared;
  }
}
