import { mkdirSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { writeGitignore } from "@bylaw/config";
import { BylawError } from "@bylaw/kernel";
import { noSuchRun, withReader, type StorePlace } from "../log/open-store.ts";

/** Creates the folder of a store that is a file. A `.bylaw` folder gets a .gitignore for the records. */
export function makeStoreFolder({ engine, target }: StorePlace): void {
  if (engine !== "sqlite") return;
  const folder = dirname(resolve(target));
  mkdirSync(folder, { recursive: true });
  if (basename(folder) !== ".bylaw") return;
  try {
    writeGitignore(folder);
  } catch {
    // If the folder cannot be written, opening the store reports it.
  }
}

/**
 * Checks that a run exists, because opening it would create it. With `create`, makes room for a new one instead. Throws
 * BYLAW_RUN_MISSING and BYLAW_STORE_UNUSABLE.
 */
export async function checkRun(place: StorePlace, name: string, create: boolean): Promise<void> {
  if (create) return makeStoreFolder(place);
  await withReader(place, async (reader) => {
    if ((await reader.events(name, 0, 1)).length > 0) return;
    const { code, message, fix } = await noSuchRun(reader, name);
    throw new BylawError({ code, message, fix: `${fix}; or create it with \`--create\`` });
  });
}
