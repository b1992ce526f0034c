import { checkedEventBody, checkClaim, checkCommit, checkPut, storeClosed } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { BatchWriter } from "./batches.ts";
import { connect } from "./connect.ts";
import type { Connection } from "./engine.ts";
import { prepareFile, type StoreFile } from "./file.ts";
import { Logs } from "./logs.ts";
import { BusyWait } from "./busy-wait.ts";
import { settingsOf, type SqliteOptions } from "./options.ts";
import { createReads } from "./reads.ts";
import { Watchers } from "./watch.ts";
import { Writes } from "./writes.ts";

/**
 * Opens a SQLite file as a store. A missing file is created, readable only by its owner. Every acknowledged write is on the disk. Throws
 * BYLAW_STORE_UNUSABLE if the file is no store, BYLAW_STORE_NEWER if a later version wrote it, and BYLAW_STORE_BUSY if other processes keep
 * it locked.
 */
export async function openSqliteStore(name: string, options: SqliteOptions = {}): Promise<Store> {
  const settings = settingsOf(options);
  const file = prepareFile(name);
  const busyWait = new BusyWait(file.path, settings.busy_ms);
  return createStore(await connect(file, busyWait), file, busyWait, settings);
}

function createStore(
  db: Connection,
  file: StoreFile,
  busyWait: BusyWait,
  { busy_ms, poll_ms, request_retention_ms, now }: Required<SqliteOptions>,
): Store {
  const reads = createReads(db, now);
  const logs = new Logs(db, reads);
  const writes = new Writes({ db, reads, logs, now, retention_ms: request_retention_ms });
  const watchers = new Watchers(db, reads, poll_ms);
  const batches = new BatchWriter({
    ...{ db, file, reads, logs, busy_ms },
    onGrown: (grown, before, last) => watchers.tell(grown, before, last),
  });
  let closing: Promise<void> | undefined;

  function checkOpen(): void {
    if (closing !== undefined) throw storeClosed();
    if (batches.stopped !== undefined) throw batches.stopped;
  }
  const read = <T>(work: () => T): Promise<T> => busyWait.read(checkOpen, work);

  return {
    commit(commit) {
      try {
        checkOpen();
        const asked = checkCommit(commit);
        const bodies = asked.events.map(checkedEventBody);
        return batches.write(() => writes.commit(asked, bodies));
      } catch (error) {
        // An async function adds a delay as long as the check of the commit itself.
        return Promise.reject(error as Error);
      }
    },
    async claim(request) {
      checkOpen();
      const asked = { ...request };
      checkClaim(asked);
      return batches.write(() => writes.claim(asked));
    },
    async put(document) {
      checkOpen();
      const asked = checkPut(document);
      return batches.write(() => writes.put(asked));
    },
    get: (kind, id) => read(() => reads.document(kind, id)),
    events: (run, after, limit) => read(() => reads.events(run, after, limit)),
    watch: (onHead) => read(() => watchers.add(onHead)),
    async sweep(event) {
      checkOpen();
      return batches.write(() => writes.sweep(event));
    },
    close: () =>
      (closing ??= (async () => {
        watchers.close();
        await batches.idle();
        db.close();
      })()),
  };
}
