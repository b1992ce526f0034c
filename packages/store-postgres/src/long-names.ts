import type { Database } from "./database.ts";
import { fromStored, isDigest, keyOf, toStored } from "./names.ts";

/** Saves names that are too long for a key, so that they can be found by their key. */
export interface LongNames {
  /** The key of a name that will be written. Call `save` before writing. */
  keep(name: string): string;
  save(): Promise<void>;
  nameOf(key: string): Promise<string>;
}

const CACHED = 1_000;

export function createLongNames(database: Database): LongNames {
  const saved = new Set<string>();
  let unsaved = new Map<string, string>();
  return {
    keep(name) {
      const key = keyOf(name);
      if (isDigest(key) && !saved.has(key)) unsaved.set(key, name);
      return key;
    },
    async save() {
      if (unsaved.size === 0) return;
      const saving = unsaved;
      unsaved = new Map();
      try {
        await database.query(
          'insert into {schema}.names (key, name) select k, n from unnest($1::text[], $2::text[]) u(k, n) order by k collate "C" on conflict do nothing',
          [[...saving.keys()], [...saving.values()].map(toStored)],
        );
      } catch (error) {
        unsaved = new Map([...saving, ...unsaved]);
        throw error;
      }
      if (saved.size > CACHED) saved.clear();
      for (const key of saving.keys()) saved.add(key);
    },
    async nameOf(key) {
      if (!isDigest(key)) return fromStored(key);
      const [row] = await database.query<{ readonly name: string }>(
        "select name from {schema}.names where key = $1",
        [key],
      );
      return fromStored(row?.name ?? key);
    },
  };
}
