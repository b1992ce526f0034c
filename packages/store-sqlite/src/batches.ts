import { setImmediate as turnOfLoop, setTimeout as sleep } from "node:timers/promises";
import type { Checkpoints } from "./checkpoints.ts";
import type { Connection } from "./engine.ts";
import { busy, failure, isBusy, isFatal } from "./errors.ts";
import type { StoreFile } from "./file.ts";
import type { Logs } from "./logs.ts";
import type { Reads } from "./reads.ts";

/** Writes that share transactions: one synchronisation of the disk for all that was asked in one turn of the event loop. */
export interface Batches {
  /**
   * `prepare` does all that can be refused and changes nothing; what it returns writes. Resolves to what that returns when it is
   * durable. Throws what `prepare` throws, BYLAW_STORE_BUSY and BYLAW_STORE_FAILED.
   */
  write<T>(prepare: () => () => T): Promise<T>;
  /** What stopped the store, where an error of the disk did. */
  readonly stopped: unknown;
  /** Resolves when nothing is waiting any more. */
  idle(): Promise<void>;
}

interface BatchOptions {
  readonly db: Connection;
  readonly file: StoreFile;
  readonly reads: Reads;
  readonly logs: Logs;
  readonly busy_ms: number;
  readonly checkpoints: Pick<Checkpoints, "committed">;
  /** Told after a commit which runs grew, and how far; and the ids of the last events before and after it. */
  readonly onGrown: (grown: ReadonlyMap<string, number>, before: number, last: number) => void;
}

interface Job {
  readonly deadline: number;
  /** Refuses, or returns what writes, which returns what tells that it is durable. */
  readonly prepare: () => () => () => void;
  readonly reject: (error: unknown) => void;
}

/** So many at most in one transaction, that nobody waits long for it. */
const LARGEST = 1_000;
/** So many milliseconds at most the disk waits for more to come, while each turn of the loop brings some. */
const GATHER = 10;
/** So many batches at most go by before it is tried again whether more come. */
const SELDOM = 64;
/** How long a writer who is not alone leaves the file to the others, who look for it this often. */
const PAUSE = 1;

export function createBatches({
  db,
  file,
  reads,
  logs,
  busy_ms,
  checkpoints,
  onGrown,
}: BatchOptions): Batches {
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");
  const rollback = db.prepare("rollback");
  const queue: Job[] = [];
  let running: Promise<void> | undefined;
  let stopped: unknown;
  let last = 0;
  let shared = false;
  let freed = 0;
  // How often in a row nobody came in the next turn, up to a point; and for how many batches that is not tried.
  let alone = 0;
  let untried = 0;

  function tryBegin(): boolean {
    try {
      begin.run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  function perform({ prepare, reject }: Job): () => void {
    let write: () => () => void;
    try {
      write = prepare();
    } catch (error) {
      if (!db.inTransaction || isFatal(error)) throw error;
      // Nothing was written yet: it is refused alone.
      return () => reject(failure(file.path, error));
    }
    return write();
  }

  function performAll(jobs: readonly Job[]): void {
    const answers: (() => void)[] = [];
    let finished: ReturnType<Logs["finish"]>;
    let before: number;
    try {
      before = reads.last();
      shared = before !== last;
      if (shared) logs.forget();
      for (const job of jobs) answers.push(perform(job));
      finished = logs.finish();
      commit.run();
      last = finished.last;
      file.check();
      checkpoints.committed(jobs.length);
    } catch (error) {
      fail(error, jobs);
      return;
    }
    for (const answer of answers) answer();
    if (finished.grown.size > 0) onGrown(finished.grown, before, last);
  }

  // Whether a commit that failed is there is not known, and asking the disk again could say yes without its being true.
  function fail(error: unknown, jobs: readonly Job[]): void {
    logs.forget();
    try {
      if (db.inTransaction) rollback.run();
    } catch {
      // The first error is the one to tell.
    }
    const told = isBusy(error) ? busy(file.path, busy_ms) : failure(file.path, error);
    if (isFatal(error) || told === error) stopped = told;
    for (const job of jobs) job.reject(told);
  }

  // Who asks in the same turn of the loop comes along. Where others ask in the next ones they come along too: to synchronise the disk costs
  // as much for one as for all. But a turn takes time, so where nobody came it is tried more and more seldom.
  async function gathered(): Promise<void> {
    await turnOfLoop();
    if (queue.length === 0) return;
    if (untried > 0) {
      untried -= 1;
      return;
    }
    const [began, first] = [performance.now(), queue.length];
    for (
      let before = 0;
      queue.length > before && queue.length < LARGEST && performance.now() - began < GATHER;
    ) {
      before = queue.length;
      await turnOfLoop();
    }
    alone = queue.length > first ? 0 : Math.min(SELDOM, 2 * alone + 1);
    untried = alone;
  }

  async function run(): Promise<void> {
    for (;;) {
      await gathered();
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
    while (queue[0] !== undefined && queue[0].deadline < now)
      queue.shift()?.reject(busy(file.path, busy_ms));
    await sleep(PAUSE);
  }

  return {
    write: (prepare) =>
      new Promise((resolve, reject) => {
        if (stopped !== undefined) {
          reject(stopped as Error);
          return;
        }
        queue.push({
          deadline: performance.now() + busy_ms,
          prepare() {
            const write = prepare();
            return () => {
              const value = write();
              return () => resolve(value);
            };
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
