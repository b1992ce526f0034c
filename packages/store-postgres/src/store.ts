import { InFlight, checkClaim, checkCommit, checkPut, storeClosed } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { Claims } from "./claims.ts";
import { openDatabase, type Database } from "./database.ts";
import { readDocument, writeDocument } from "./documents.ts";
import { readEvents } from "./events.ts";
import { createLongNames } from "./long-names.ts";
import type { PostgresStoreOptions } from "./options.ts";
import { migrate } from "./schema/migrate.ts";
import { Watch } from "./watch.ts";
import { Writer } from "./writer.ts";

/**
 * Opens the store in the PostgreSQL database at `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, and creates or updates its schema. Many
 * processes on many machines may have it open at once.
 *
 * Throws BYLAW_STORE_UNUSABLE for a URL, option, schema or server that cannot be used, BYLAW_STORE_UNREACHABLE if no server answers or it
 * refuses the login, and BYLAW_STORE_NEWER if a later version wrote the schema. No error repeats the password.
 */
export async function openPostgresStore(
  url: string,
  options: PostgresStoreOptions = {},
): Promise<Store> {
  return createStore(await openDatabase(url, options, migrate));
}

function createStore(database: Database): Store {
  const names = createLongNames(database);
  const watch = new Watch(database, names);
  const writer = new Writer(database, names, (run, key, head) => watch.grew(run, key, head));
  const claims = new Claims(database, names, (run, key, event) => {
    writer.ends.saw(key, event);
    watch.grew(run, key, event.sequence);
  });
  const running = new InFlight();
  let closing: Promise<void> | undefined;

  // Counts open calls, so that `close` can wait for them.
  function open<T>(work: () => Promise<T>): Promise<T> {
    if (closing !== undefined) return Promise.reject(storeClosed());
    let asked: Promise<T>;
    try {
      asked = work();
    } catch (error) {
      return Promise.reject(error as Error);
    }
    return running.track(asked);
  }

  return {
    commit: (commit) => open(() => writer.commit(checkCommit(commit))),
    claim: (request) =>
      open(async () => {
        checkClaim(request);
        return claims.claim(request);
      }),
    put: (document) => open(async () => writeDocument(database, checkPut(document))),
    get: (kind, id) => open(() => readDocument(database.query, kind, id)),
    events: (run, after, limit) => open(() => readEvents(database.query, run, after, limit)),
    watch: (onHead) => open(() => watch.add(onHead)),
    sweep: (event) => open(() => claims.sweep(event)),
    close: () =>
      (closing ??= (async () => {
        await running.over();
        await writer.idle();
        await watch.close();
        await database.end();
      })()),
  };
}
