import { checkedEventBody, checkClaim, checkCommit, checkPut, storeClosed } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { BatchWriter } from "./batches.ts";
import { connect } from "./connect.ts";
import { failure } from "./errors.ts";
import { prepareFile } from "./file.ts";
import { Logs } from "./logs.ts";
import { createBusyWait } from "./busy-wait.ts";
import { settingsOf, type SqliteOptions } from "./options.ts";
import { createReads } from "./reads.ts";
import { Watchers } from "./watch.ts";
import { createWrites } from "./writes.ts";

/**
 * Opens a SQLite file as a store. A missing file is created, readable only by its owner. Every acknowledged write is on the disk. Throws
 * BYLAW_STORE_UNUSABLE if the file is no store, BYLAW_STORE_NEWER if a later version wrote it, and BYLAW_STORE_BUSY if other processes keep
 * it locked.
 */
export async function openSqliteStore(name: string, options: SqliteOptions = {}): Promise<Store> {
  const { busy_ms, poll_ms, request_retention_ms, now } = settingsOf(options);
  const file = prepareFile(name);
  const busyWait = createBusyWait(file.path, busy_ms);
  const db = await connect(file, busyWait);
  const reads = createReads(db, now);
  const logs = new Logs(db, reads);
  const writes = createWrites({ db, reads, logs, now, retention_ms: request_retention_ms });
  const watchers = new Watchers(db, reads, poll_ms);
  const batches = new BatchWriter({
    ...{ db, file, reads, logs, busy_ms },
    onGrown: (grown, before, last) => watchers.tell(grown, before, last),
  });
  let closing: Promise<void> | undefined;

  function open(): void {
    if (closing !== undefined) throw storeClosed();
    if (batches.stopped !== undefined) throw batches.stopped;
  }

  async function read<T>(work: () => T): Promise<T> {
    open();
    try {
      return await busyWait.wait(() => {
        // The store may have been closed while this call waited.
        open();
        return work();
      });
    } catch (error) {
      throw failure(file.path, error);
    }
  }

  return {
    commit(commit) {
      try {
        open();
        const asked = checkCommit(commit);
        const bodies = asked.events.map(checkedEventBody);
        return batches.write(() => writes.commit(asked, bodies));
      } catch (error) {
        // An async function adds a delay as long as the check of the commit itself.
        return Promise.reject(error as Error);
      }
    },
    async claim(request) {
      open();
      const asked = { ...request };
      checkClaim(asked);
      return batches.write(() => writes.claim(asked));
    },
    async put(document) {
      open();
      const asked = checkPut(document);
      return batches.write(() => writes.put(asked));
    },
    get: (kind, id) => read(() => reads.document(kind, id)),
    events: (run, after, limit) => read(() => reads.events(run, after, limit)),
    watch: (onHead) => read(() => watchers.add(onHead)),
    async sweep(event) {
      open();
      return batches.write(() => writes.sweep(event));
    },
    close() {
      closing ??= (async () => {
        watchers.close();
        await batches.idle();
        db.close();
      })();
      return closing;
    },
  };
}
