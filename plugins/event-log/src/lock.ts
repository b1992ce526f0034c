import { randomUUID } from "node:crypto";
import { closeSync, linkSync, lstatSync, openSync, rmSync, type Stats } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { makeFolderOf } from "./log-file.ts";
import { lockHeld, codeOf, irregular, unwritable } from "./problems.ts";

/** How long a holder is waited for, in milliseconds. */
const WAIT_MS = 9_000;

interface Connection {
  readonly database: Database.Database;
  /** Of the lock file as it was connected to. */
  readonly stats: Stats;
}

/**
 * A lock between processes, on a file of its own to which its holders write nothing. It is that of an SQLite database: the operating
 * system releases it when its holder dies, however it dies. Waiting blocks no thread, and whoever has waited longer asks more often.
 */
export class FileLock {
  readonly #path: string;
  readonly #wait_ms: number;
  #connection: Connection | undefined;

  constructor(path: string, wait_ms = WAIT_MS) {
    this.#path = path;
    this.#wait_ms = wait_ms;
  }

  /** Does work alone. Throws BYLAW_LOG_BUSY where another process does not let go in time. */
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
      // Nothing was written; a commit would wait for whoever is just asking for the lock.
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
    // A lock file that was removed locks nobody out.
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
      // One write in the life of the file: an empty database would be written by everybody who locks it.
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

/** Makes the lock file where there is none. */
function lockFile(path: string): Stats {
  const there = statsOf(path);
  if (there === undefined) {
    makeFolderOf(path);
    // Never opened under its own name: closing a file drops every lock that this process has on it.
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
