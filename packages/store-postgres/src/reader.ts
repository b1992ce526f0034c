import {
  InFlight,
  TIME_AT_END,
  storeClosed,
  timeAtEnd,
  type RunSummary,
  type StoreReader,
} from "@bylaw/log";
import type { StoredDocument } from "@bylaw/store";
import { openDatabase, type Database } from "./database.ts";
import { readDocument } from "./documents.ts";
import { readEvents } from "./events.ts";
import { createLongNames } from "./long-names.ts";
import type { PostgresStoreOptions } from "./options.ts";
import { checkSchema } from "./schema/migrate.ts";
import { Watch } from "./watch.ts";

/**
 * Opens the store in a PostgreSQL database for reading. Creates and changes nothing, so a role with `select` is enough.
 *
 * Throws BYLAW_STORE_UNUSABLE if there is no store or it is of an earlier version, BYLAW_STORE_NEWER if a later version wrote it, and
 * BYLAW_STORE_UNREACHABLE if no server answers or it refuses the login. No error repeats the password.
 */
export async function openPostgresReader(
  url: string,
  options: PostgresStoreOptions = {},
): Promise<StoreReader> {
  return createReader(await openDatabase(url, options, checkSchema));
}

function createReader(database: Database): StoreReader {
  const names = createLongNames(database);
  const watch = new Watch(database, names);
  const running = new InFlight();
  let closing: Promise<void> | undefined;

  function open<T>(work: () => Promise<T>): Promise<T> {
    if (closing !== undefined) return Promise.reject(storeClosed());
    const asked = work();
    return running.track(asked);
  }

  async function runs(): Promise<readonly RunSummary[]> {
    const rows = await database.query<{
      readonly key: string;
      readonly head: number;
      readonly first: string;
      readonly last: string;
    }>(
      `select r.run as key, r.sequence as head, right(split_part(f.text, E'\\n', 1), $1) as first, right(l.text, $1) as last from {schema}.runs r
        cross join lateral (select s.text from {schema}.segments s where s.run = r.run order by s.last limit 1) f
        cross join lateral (select s.text from {schema}.segments s where s.run = r.run order by s.last desc limit 1) l`,
      [TIME_AT_END],
    );
    const found: RunSummary[] = [];
    for (const { key, head, first, last } of rows) {
      found.push({
        run: await names.nameOf(key),
        head,
        first: timeAtEnd(first),
        last: timeAtEnd(last),
      });
    }
    return found.toSorted((one, other) => (one.run < other.run ? -1 : 1));
  }

  return {
    get: (kind, id) =>
      open<StoredDocument | undefined>(() => readDocument(database.query, kind, id)),
    events: (run, after, limit) => open(() => readEvents(database.query, run, after, limit)),
    watch: (onHead) => open(() => watch.add(onHead)),
    runs: () => open(runs),
    close: () =>
      (closing ??= (async () => {
        await running.over();
        await watch.close();
        await database.end();
      })()),
  };
}
