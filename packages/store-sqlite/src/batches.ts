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
  /**
   * Called after a transaction with each run that grew and its new head, and with the id of the file's last segment before and after it.
   */
  readonly onGrown: (grown: ReadonlyMap<string, number>, before: number, last: number) => void;
}

interface PendingWrite {
  readonly deadline: number;
  /**
   * Throws if the write is refused. Otherwise returns the function that writes, which returns the function that reports success once the
   * write is durable.
   */
  readonly prepare: () => () => () => void;
  readonly reject: (error: unknown) => void;
}

/** The most writes in one transaction, so that no caller waits long for it. */
const LARGEST = 1_000;
/**
 * Milliseconds. When other processes write too, a writer pauses this long between transactions to let them in. They also retry this often.
 */
const PAUSE = 1;

/** Groups writes into transactions. All writes requested in one tick of the event loop cost one disk flush. */
export class BatchWriter {
  readonly #options: BatchOptions;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #queue: PendingWrite[] = [];
  #running: Promise<void> | undefined;
  #stopped: unknown;
  /** The id of the file's last segment after this store's last transaction. */
  #last = 0;
  /** Whether another connection has written since this store's last transaction. */
  #shared = false;
  #freed = 0;

  constructor(options: BatchOptions) {
    const { db } = options;
    this.#options = options;
    this.#begin = db.prepare("begin immediate");
    this.#commit = db.prepare("commit");
    this.#rollback = db.prepare("rollback");
  }

  /** The error that stopped the store, if there was one. */
  get stopped(): unknown {
    return this.#stopped;
  }

  /**
   * Queues a write. `prepare` makes every check that can refuse it and changes nothing; the function it returns writes. Resolves to that
   * function's result when it is durable. Throws what `prepare` throws, BYLAW_STORE_BUSY and BYLAW_STORE_FAILED.
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

  /** Resolves when no write is waiting. */
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
      // Nothing has been written yet, so only this write is refused.
      return () => reject(failure(file.path, error));
    }
    return write();
  }

  // A failed commit may still be in the file, and a second attempt could report success wrongly.
  #fail(error: unknown, writes: readonly PendingWrite[]): void {
    const { db, file, logs, busy_ms } = this.#options;
    logs.forget();
    try {
      if (db.inTransaction) this.#rollback.run();
    } catch {
      // A failing rollback must not hide the original error.
    }
    const reported = isBusy(error) ? busy(file.path, busy_ms) : failure(file.path, error);
    if (isFatal(error) || reported === error) this.#stopped = reported;
    for (const { reject } of writes) reject(reported);
  }
}
