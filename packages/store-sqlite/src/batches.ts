import { setImmediate as turnOfLoop, setTimeout as sleep } from "node:timers/promises";
import type { Statement } from "better-sqlite3";
import type { Connection } from "./engine.ts";
import { busy, failure, isBusy, isFatal } from "./errors.ts";
import type { StoreFile } from "./file.ts";
import type { Logs } from "./logs.ts";
import type { Reads } from "./reads.ts";

interface BatchOptions {
  readonly db: Connection;
  readonly file: StoreFile;
  readonly reads: Reads;
  readonly logs: Logs;
  readonly busy_ms: number;
  /** Called after a commit with the runs that grew and their heads, and the ids of the last segments before and after it. */
  readonly onGrown: (grown: ReadonlyMap<string, number>, before: number, last: number) => void;
}

interface PendingWrite {
  readonly deadline: number;
  /** Refuses, or returns what writes, which returns what reports that it is durable. */
  readonly prepare: () => () => () => void;
  readonly reject: (error: unknown) => void;
}

/** The most writes in one transaction, so that nobody waits long for it. */
const LARGEST = 1_000;
/** Milliseconds for which a writer that is not alone leaves the file to the others, who try this often. */
const PAUSE = 1;

/** Writes that share transactions: all that was asked in one tick of the event loop costs one flush of the disk. */
export class BatchWriter {
  readonly #options: BatchOptions;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #queue: PendingWrite[] = [];
  #running: Promise<void> | undefined;
  #stopped: unknown;
  /** The id of the last segment after the last transaction of this store. */
  #last = 0;
  /** Another connection has written since. */
  #shared = false;
  #freed = 0;

  constructor(options: BatchOptions) {
    const { db } = options;
    this.#options = options;
    this.#begin = db.prepare("begin immediate");
    this.#commit = db.prepare("commit");
    this.#rollback = db.prepare("rollback");
  }

  /** The error of the disk that stopped the store, if one did. */
  get stopped(): unknown {
    return this.#stopped;
  }

  /**
   * `prepare` does all that can be refused and changes nothing; what it returns writes. Resolves to what that returns when it is
   * durable. Throws what `prepare` throws, BYLAW_STORE_BUSY and BYLAW_STORE_FAILED.
   */
  write<T>(prepare: () => () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#stopped !== undefined) {
        reject(this.#stopped as Error);
        return;
      }
      this.#queue.push({
        deadline: performance.now() + this.#options.busy_ms,
        prepare() {
          const write = prepare();
          return () => {
            const value = write();
            return () => resolve(value);
          };
        },
        reject,
      });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is waiting any more. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    for (;;) {
      await turnOfLoop();
      if (this.#queue.length === 0) break;
      if (this.#stopped !== undefined) {
        for (const { reject } of this.#queue.splice(0)) reject(this.#stopped);
        break;
      }
      if (this.#shared && performance.now() - this.#freed < PAUSE) await sleep(PAUSE);
      await this.#writeOnce();
    }
    this.#running = undefined;
  }

  async #writeOnce(): Promise<void> {
    try {
      if (this.#tryBegin()) {
        this.#performAll(this.#queue.splice(0, LARGEST));
        this.#freed = performance.now();
        return;
      }
    } catch (error) {
      this.#fail(error, this.#queue.splice(0));
      return;
    }
    const { file, busy_ms } = this.#options;
    const now = performance.now();
    while (this.#queue[0] !== undefined && this.#queue[0].deadline < now)
      this.#queue.shift()?.reject(busy(file.path, busy_ms));
    await sleep(PAUSE);
  }

  #tryBegin(): boolean {
    try {
      this.#begin.run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  #performAll(writes: readonly PendingWrite[]): void {
    const { file, reads, logs, onGrown } = this.#options;
    const answers: (() => void)[] = [];
    let finished: ReturnType<Logs["finish"]>;
    let before: number;
    try {
      before = reads.last();
      this.#shared = before !== this.#last;
      if (this.#shared) logs.forget();
      for (const one of writes) answers.push(this.#perform(one));
      finished = logs.finish();
      this.#commit.run();
      this.#last = finished.last;
      file.check();
    } catch (error) {
      this.#fail(error, writes);
      return;
    }
    for (const answer of answers) answer();
    if (finished.grown.size > 0) onGrown(finished.grown, before, this.#last);
  }

  #perform({ prepare, reject }: PendingWrite): () => void {
    const { db, file } = this.#options;
    let write: () => () => void;
    try {
      write = prepare();
    } catch (error) {
      if (!db.inTransaction || isFatal(error)) throw error;
      // Nothing was written yet, so only this write is refused.
      return () => reject(failure(file.path, error));
    }
    return write();
  }

  // Nobody knows whether a commit that failed is there, and asking the disk again could wrongly say that it is.
  #fail(error: unknown, writes: readonly PendingWrite[]): void {
    const { db, file, logs, busy_ms } = this.#options;
    logs.forget();
    try {
      if (db.inTransaction) this.#rollback.run();
    } catch {
      // A failing rollback must not hide the original error.
    }
    const told = isBusy(error) ? busy(file.path, busy_ms) : failure(file.path, error);
    if (isFatal(error) || told === error) this.#stopped = told;
    for (const { reject } of writes) reject(told);
  }
}
