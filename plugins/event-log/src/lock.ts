import { randomUUID } from "node:crypto";
import { closeSync, linkSync, lstatSync, openSync, rmSync, type Stats } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { makeFolderOf } from "./log-file.ts";
import { lockHeld, codeOf, irregular, unwritable } from "./problems.ts";

/** How long to wait for a holder, in milliseconds. */
const WAIT_MS = 9_000;

interface Connection {
  readonly database: Database.Database;
  /** The stats of the lock file when it was opened. */
  readonly stats: Stats;
}

/**
 * A lock between processes on a separate file, to which holders write nothing. It is the lock of an SQLite database, so the
 * operating system releases it however its holder dies. Waiting blocks no thread, and longer waiting means more frequent attempts.
 */
export class FileLock {
  readonly #path: string;
  readonly #wait_ms: number;
  #connection: Connection | undefined;

  constructor(path: string, wait_ms = WAIT_MS) {
    this.#path = path;
    this.#wait_ms = wait_ms;
  }

  /** Runs `work` under the lock. Throws BYLAW_LOG_BUSY if another process does not release it in time. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    while (!this.#take()) {
      const waited = performance.now() - start;
      if (waited >= this.#wait_ms) throw lockHeld(this.#path, Math.round(waited));
      await sleep(1 + Math.random() * Math.max(1, 6 - waited / 20));
    }
    try {
      return await work();
    } finally {
      // Nothing was written. A commit would wait for processes that are just requesting the lock.
      this.#connection?.database.exec("ROLLBACK");
    }
  }

  close(): void {
    this.#connection?.database.close();
    this.#connection = undefined;
  }

  #take(): boolean {
    try {
      this.#connection ??= this.#connect();
      this.#connection.database.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if (codeOf(error)?.startsWith("SQLITE_BUSY") === true) return false;
      this.close();
      if (codeOf(error)?.startsWith("BYLAW_") === true) throw error;
      throw unwritable(this.#path, "lock the log", error);
    }
    // A removed lock file keeps no other process out.
    const { ino, dev } = this.#connection.stats;
    const there = statsOf(this.#path);
    if (there?.ino === ino && there.dev === dev) return true;
    this.close();
    return false;
  }

  #connect(): Connection {
    const stats = lockFile(this.#path);
    const database = new Database(this.#path, { timeout: 0 });
    try {
      // One write in the life of the file: every process that locks an empty database writes to it.
      if (database.pragma("user_version", { simple: true }) === 0)
        database.pragma("user_version = 1");
      return { database, stats };
    } catch (error) {
      database.close();
      throw error;
    }
  }
}

const statsOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

/** Creates the lock file if there is none. */
function lockFile(path: string): Stats {
  const there = statsOf(path);
  if (there === undefined) {
    makeFolderOf(path);
    // The file is never opened under its own name, because closing it drops every lock that this process has on it.
    const fresh = `${path}.${randomUUID()}`;
    closeSync(openSync(fresh, "wx", 0o600));
    try {
      linkSync(fresh, path);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    } finally {
      rmSync(fresh, { force: true });
    }
  }
  const stats = lstatSync(path);
  if (!stats.isFile()) throw irregular(path, "something else");
  return stats;
}
