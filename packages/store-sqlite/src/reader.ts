import { existsSync, accessSync, constants } from "node:fs";
import type { Options } from "better-sqlite3";
import { storeClosed, type StoreReader } from "@bylaw/log";
import { checkSqlite, loadEngine, type Connection } from "./engine.ts";
import { needsFolder, openFailure, unusable } from "./errors.ts";
import { prepareFile } from "./file.ts";
import { settingsOf, type SqliteOptions } from "./options.ts";
import { BusyWait } from "./busy-wait.ts";
import { createReads } from "./reads.ts";
import { RunSummaries } from "./run-summaries.ts";
import { SCHEMA_VERSION, versionOf } from "./schema.ts";
import { notFollowed, readSnapshot } from "./snapshot.ts";
import { Watchers } from "./watch.ts";

/**
 * Opens the store in a SQLite file for reading. It creates no file, changes nothing and delays no writer. If the folder of the file is not
 * writable, it serves a copy in memory, and `watch` is refused.
 *
 * Throws BYLAW_STORE_UNUSABLE if there is no store, it is of an earlier version, or it cannot be read completely; BYLAW_STORE_NEWER if a
 * later version wrote it; BYLAW_STORE_BUSY if other processes keep it locked.
 */
export async function openSqliteReader(
  name: string,
  options: Pick<SqliteOptions, "busy_ms" | "poll_ms"> = {},
): Promise<StoreReader> {
  const { busy_ms, poll_ms, now } = settingsOf(options);
  const { path } = prepareFile(name, { create: false });
  const busyWait = new BusyWait(path, busy_ms);
  const { db, snapshot } = await connect(path, busyWait);
  const reads = createReads(db, now);
  const watchers = new Watchers(db, reads, poll_ms);
  const summaries = new RunSummaries(db);
  let closing: Promise<void> | undefined;

  function checkOpen(): void {
    if (closing !== undefined) throw storeClosed();
  }
  const read = <T>(work: () => T): Promise<T> => busyWait.read(checkOpen, work);

  return {
    get: (kind, id) => read(() => reads.document(kind, id)),
    events: (run, after, limit) => read(() => reads.events(run, after, limit)),
    watch: (onHead) =>
      read(() => {
        if (snapshot) throw notFollowed(path);
        return watchers.add(onHead);
      }),
    runs: () => read(() => summaries.all()),
    close: () =>
      (closing ??= (async () => {
        watchers.close();
        db.close();
      })()),
  };
}

async function connect(path: string, busyWait: BusyWait) {
  const engine = await loadEngine();
  const read = (file: string | Buffer, options: Options): Promise<Connection> =>
    checked(new engine(file, options), path, busyWait);
  try {
    return {
      db: await read(path, { timeout: 0, readonly: !isAlone(path), fileMustExist: true }),
      snapshot: false,
    };
  } catch (error) {
    if (!needsFolder(error)) throw openFailure(path, error, "read");
  }
  const copy = await readSnapshot(path);
  try {
    return { db: await read(copy, { readonly: true }), snapshot: true };
  } catch (error) {
    throw openFailure(path, error, "read");
  }
}

async function checked(db: Connection, path: string, busyWait: BusyWait): Promise<Connection> {
  try {
    await busyWait.wait(() =>
      checkSqlite(String(db.prepare("select sqlite_version()").pluck().get())),
    );
    db.pragma("query_only = on");
    db.pragma("trusted_schema = off");
    const version = await busyWait.wait(() => versionOf(db, path));
    if (version === 0)
      throw unusable(`${path} is an empty database`, "Name the file that the runs were written to");
    if (version < SCHEMA_VERSION)
      throw unusable(
        `${path} has schema ${version}, but ${SCHEMA_VERSION} is needed`,
        "Open it once for writing, which updates it",
      );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Whether no process has the file open and this one may write it. A connection without write access then creates the two files beside it
 * and leaves them behind. A writable connection, limited to queries, removes them again.
 */
function isAlone(path: string): boolean {
  if (existsSync(`${path}-wal`)) return false;
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
