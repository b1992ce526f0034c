import { mkdirSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { ignoreRecords } from "@bylaw/config";
import type { StorePlace } from "../log/open-store.ts";

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
