import { setImmediate as turnOfLoop, setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./engine.ts";
import { busy, failure, isBusy, isFatal } from "./errors.ts";
import type { StoreFile } from "./file.ts";
import type { Reads } from "./reads.ts";
import type { Turn } from "./writes.ts";

/** Writes that share transactions: one synchronisation of the disk for all that was asked in one turn of the event loop. */
export interface Batches {
  /** Resolves when what the work wrote is durable. Throws what the work throws, BYLAW_STORE_BUSY and BYLAW_STORE_FAILED. */
  write<T>(work: (turn: Turn) => T): Promise<T>;
  /** What stopped the store, where an error of the disk did. */
  readonly stopped: unknown;
  /** Resolves when nothing is waiting any more. */
  idle(): Promise<void>;
}

interface BatchOptions {
  readonly db: Connection;
  readonly file: StoreFile;
  readonly reads: Reads;
  readonly busy_ms: number;
  /** Told after a commit which runs grew, how far, and the number of the write. */
  readonly onGrown: (grown: ReadonlyMap<string, number>, touched: number) => void;
}

interface Job {
  readonly deadline: number;
  /** Does the work; returns what to say when it is durable. */
  readonly work: (turn: Turn) => () => void;
  readonly reject: (error: unknown) => void;
}

/** So many at most in one transaction, that nobody waits long for it. */
const LARGEST = 1_000;
/** How long a writer who is not alone leaves the file to the others, who look for it this often. */
const PAUSE = 1;

export function createBatches({ db, file, reads, busy_ms, onGrown }: BatchOptions): Batches {
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");
  const rollback = db.prepare("rollback");
  const savepoint = db.prepare("savepoint job");
  const release = db.prepare("release job");
  const back = db.prepare("rollback to job");
  const queue: Job[] = [];
  let running: Promise<void> | undefined;
  let stopped: unknown;
  let last = 0;
  let shared = false;
  let freed = 0;

  function tryBegin(): boolean {
    try {
      begin.run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  // Each job in a savepoint: what one of them is refused for is nothing to the others.
  function perform(job: Job, turn: Turn, grown: Map<string, number>): () => void {
    const own = new Map<string, number>();
    savepoint.run();
    try {
      const done = job.work({ ...turn, grow: (run, head) => own.set(run, head) });
      release.run();
      for (const [run, head] of own) grown.set(run, head);
      return done;
    } catch (error) {
      if (!db.inTransaction || isFatal(error)) throw error;
      back.run();
      release.run();
      return () => job.reject(failure(file.path, error));
    }
  }

  function performAll(jobs: readonly Job[]): void {
    const grown = new Map<string, number>();
    const answers: (() => void)[] = [];
    let touched = 0;
    try {
      const before = reads.touched();
      shared = before !== last;
      touched = before + 1;
      for (const job of jobs) answers.push(perform(job, { touched, grow: () => {} }, grown));
      commit.run();
      last = grown.size > 0 ? touched : before;
      file.check();
    } catch (error) {
      fail(error, jobs);
      return;
    }
    for (const answer of answers) answer();
    if (grown.size > 0) onGrown(grown, touched);
  }

  // Whether a commit that failed is there is not known, and asking the disk again could say yes without its being true.
  function fail(error: unknown, jobs: readonly Job[]): void {
    try {
      if (db.inTransaction) rollback.run();
    } catch {
      // The first error is the one to tell.
    }
    const told = isBusy(error) ? busy(file.path, busy_ms) : failure(file.path, error);
    if (isFatal(error) || told === error) stopped = told;
    for (const job of jobs) job.reject(told);
  }

  async function run(): Promise<void> {
    for (;;) {
      // Who asks in the same turn of the loop comes along.
      await turnOfLoop();
      if (queue.length === 0) break;
      if (stopped !== undefined) {
        for (const job of queue.splice(0)) job.reject(stopped);
        break;
      }
      if (shared && performance.now() - freed < PAUSE) await sleep(PAUSE);
      await writeOnce();
    }
    running = undefined;
  }

  async function writeOnce(): Promise<void> {
    try {
      if (tryBegin()) {
        performAll(queue.splice(0, LARGEST));
        freed = performance.now();
        return;
      }
    } catch (error) {
      fail(error, queue.splice(0));
      return;
    }
    const now = performance.now();
    while (queue[0] !== undefined && queue[0].deadline < now) queue.shift()?.reject(busy(file.path, busy_ms));
    await sleep(PAUSE);
  }

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        if (stopped !== undefined) {
          reject(stopped as Error);
          return;
        }
        const deadline = performance.now() + busy_ms;
        queue.push({
          deadline,
          work(turn) {
            const value = work(turn);
            return () => resolve(value);
          },
          reject,
        });
        running ??= run();
      }),
    get stopped() {
      return stopped;
    },
    idle: () => running ?? Promise.resolve(),
  };
}
