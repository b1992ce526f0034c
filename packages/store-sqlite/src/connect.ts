import { checkSqlite, type Connection, loadEngine } from "./engine.ts";
import { openFailure, unusable } from "./errors.ts";
import type { StoreFile } from "./file.ts";
import { migrate, versionOf } from "./schema.ts";
import type { Patience } from "./patience.ts";

/** Opens a connection whose commits are durable when they return, and brings the file to the present schema. */
export async function connect(file: StoreFile, patience: Patience): Promise<Connection> {
  const engine = await loadEngine();
  let db: Connection | undefined;
  try {
    // No waiting inside of the engine: it would stop the whole process.
    const opened = new engine(file.path, { timeout: 0 });
    db = opened;
    // Already the first statement meets a file that another process is making.
    await patience.wait(() =>
      checkSqlite(String(opened.prepare("select sqlite_version()").pluck().get())),
    );
    // Before anything is changed: a database of another program stays as it is.
    await patience.wait(() => versionOf(opened, file.path));
    await patience.wait(() => configure(opened, file.path));
    await patience.wait(() => migrate(opened, file.path));
    // Of a file that was replaced since it was looked at, nothing is to be believed.
    file.mark();
    return opened;
  } catch (error) {
    db?.close();
    throw openFailure(file.path, error);
  }
}

/** Makes what a connection writes durable. */
function configure(db: Connection, path: string): void {
  db.pragma("trusted_schema = off");
  const mode = db.pragma("journal_mode = wal", { simple: true });
  if (mode !== "wal")
    throw unusable(
      `SQLite cannot use a write-ahead log for ${path} (journal mode ${String(mode)})`,
      "Use a local disk",
    );
  // A connection to a file that exists begins with NORMAL, which loses commits when the power fails.
  db.pragma("synchronous = full");
  db.pragma("fullfsync = on");
  db.pragma("checkpoint_fullfsync = on");
  // Every 4 MiB the log beside the file is copied into it. The write that does it takes some milliseconds longer.
  db.pragma("wal_autocheckpoint = 1000");
  db.pragma("journal_size_limit = 67108864");
  const level = db.pragma("synchronous", { simple: true });
  if (level !== 2)
    throw unusable(
      `SQLite does not flush ${path} fully (synchronous level ${String(level)})`,
      "Update better-sqlite3",
    );
}
