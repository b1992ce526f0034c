import { checkSqlite, type Connection, loadEngine } from "./engine.ts";
import { openFailure, unusable } from "./errors.ts";
import type { StoreFile } from "./file.ts";
import { migrate, versionOf } from "./schema.ts";
import type { BusyWait } from "./busy-wait.ts";

/** Opens a connection whose commits are durable when they return, and migrates the file to the current schema. */
export async function connect(file: StoreFile, busyWait: BusyWait): Promise<Connection> {
  const engine = await loadEngine();
  let db: Connection | undefined;
  try {
    // SQLite must not wait for locks itself, because that blocks the whole process.
    const opened = new engine(file.path, { timeout: 0 });
    db = opened;
    // Even the first statement can find the file locked by a process that is creating it.
    await busyWait.wait(() =>
      checkSqlite(String(opened.prepare("select sqlite_version()").pluck().get())),
    );
    // Check before any change, so that another program's database stays as it is.
    await busyWait.wait(() => versionOf(opened, file.path));
    await busyWait.wait(() => configure(opened, file.path));
    await busyWait.wait(() => migrate(opened, file.path));
    // Fails if the file was replaced after the checks above.
    file.mark();
    return opened;
  } catch (error) {
    db?.close();
    throw openFailure(file.path, error);
  }
}

/** Makes every commit of a connection durable. */
function configure(db: Connection, path: string): void {
  db.pragma("trusted_schema = off");
  const mode = db.pragma("journal_mode = wal", { simple: true });
  if (mode !== "wal")
    throw unusable(
      `SQLite cannot use a write-ahead log for ${path} (journal mode ${String(mode)})`,
      "Use a local disk",
    );
  // Opening an existing file sets NORMAL, which loses commits when the power fails.
  db.pragma("synchronous = full");
  db.pragma("fullfsync = on");
  db.pragma("checkpoint_fullfsync = on");
  // Checkpoint every 4 MiB. The write that triggers it takes some milliseconds longer.
  db.pragma("wal_autocheckpoint = 1000");
  db.pragma("journal_size_limit = 67108864");
  const level = db.pragma("synchronous", { simple: true });
  if (level !== 2)
    throw unusable(
      `SQLite does not flush ${path} fully (synchronous level ${String(level)})`,
      "Update better-sqlite3",
    );
}
