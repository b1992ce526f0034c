import { randomUUID } from "node:crypto";
import { closeSync, linkSync, lstatSync, openSync, rmSync, type Stats } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { makeFolderOf } from "./log-file.ts";
import { lockHeld, codeOf, irregular, unwritable } from "./problems.ts";

/** A lock between processes, on a file of its own. Nothing is ever written to the file by who holds it. */
export interface FileLock {
  /** Does work alone. Throws BYLAW_LOG_BUSY where another process does not let go in time. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * Opens a lock. It is that of an SQLite database on `path`: the kernel lets go of it when its holder dies, however it dies.
 * Waiting blocks no thread, and who has waited longer asks more often. `wait_ms`: milliseconds to wait at most.
 */
export function openLock(path: string, wait_ms = 9_000): FileLock {
  let connection: { readonly database: Database.Database; readonly stats: Stats } | undefined;

  function disconnect(): void {
    connection?.database.close();
    connection = undefined;
  }

  function connect(): void {
    const stats = lockFile(path);
    const database = new Database(path, { timeout: 0 });
    try {
      // One write in the life of the file: an empty database would be written to by everybody who locks it.
      if (database.pragma("user_version", { simple: true }) === 0)
        database.pragma("user_version = 1");
      connection = { database, stats };
    } catch (error) {
      database.close();
      throw error;
    }
  }

  function take(): boolean {
    try {
      if (connection === undefined) connect();
      connection?.database.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if (codeOf(error)?.startsWith("SQLITE_BUSY") === true) return false;
      disconnect();
      if (codeOf(error)?.startsWith("BYLAW_") === true) throw error;
      throw unwritable(path, "lock the log", error);
    }
    // Whose lock file was removed locks nobody out.
    const stats = statsOf(path);
    if (
      stats !== undefined &&
      stats.ino === connection?.stats.ino &&
      stats.dev === connection.stats.dev
    )
      return true;
    disconnect();
    return false;
  }

  async function acquire(): Promise<void> {
    const start = performance.now();
    while (!take()) {
      const waited = performance.now() - start;
      if (waited >= wait_ms) throw lockHeld(path, Math.round(waited));
      await sleep(1 + Math.random() * Math.max(1, 6 - waited / 20));
    }
  }

  return {
    async hold(work) {
      await acquire();
      try {
        return await work();
      } finally {
        // Nothing was written; a commit would wait for who is just looking whether the lock is free.
        connection?.database.exec("ROLLBACK");
      }
    },
    close: disconnect,
  };
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
