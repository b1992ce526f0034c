import { mkdirSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { ignoreRecords } from "@bylaw/config";
import { BylawError } from "@bylaw/kernel";
import { noSuchRun, withReader, type StorePlace } from "../log/open-store.ts";

/** Makes the folder of a store that is a file. In one of Bylaw's own git leaves out what is kept there. */
export function makeStoreFolder({ engine, target }: StorePlace): void {
  if (engine !== "sqlite") return;
  const folder = dirname(resolve(target));
  mkdirSync(folder, { recursive: true });
  if (basename(folder) !== ".bylaw") return;
  try {
    ignoreRecords(folder);
  } catch {
    // Where nobody can write the store says so, in its own words.
  }
}

/**
 * Checks that a run is there, for opening it would begin it; or makes room for one that may be begun. Throws BYLAW_RUN_MISSING and
 * BYLAW_STORE_UNUSABLE.
 */
export async function checkRun(place: StorePlace, name: string, create: boolean): Promise<void> {
  if (create) return makeStoreFolder(place);
  await withReader(place, async (reader) => {
    if ((await reader.events(name, 0, 1)).length > 0) return;
    const { code, message, fix } = await noSuchRun(reader, name);
    throw new BylawError({ code, message, fix: `${fix}; or begin it with \`--create\`` });
  });
}
