import { readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { identityOf } from "./path-into.ts";

/**
 * Finds a file that has a second name in a folder: package managers link one copy of a package into many projects, and whoever writes it
 * in one writes it in all. The folder is walked only where a file has more than one name.
 */
export function sharedFile(
  folder: string,
  files: readonly string[],
): { readonly file: string; readonly inside: string } | undefined {
  const linked = new Map(
    files.filter((file) => linksOf(file) > 1).map((file) => [identityOf(file), file]),
  );
  if (linked.size === 0) return undefined;
  for (const inside of filesIn(folder)) {
    if (linksOf(inside) < 2) continue;
    const file = linked.get(identityOf(inside));
    if (file !== undefined) return { file, inside };
  }
  return undefined;
}

function linksOf(file: string): number {
  try {
    return statSync(file).nlink;
  } catch {
    return 0;
  }
}

function* filesIn(folder: string): Generator<string> {
  for (const entry of entriesOf(folder)) {
    if (entry.isDirectory()) yield* filesIn(join(folder, entry.name));
    else if (entry.isFile()) yield join(folder, entry.name);
  }
}

// Agents close folders and remove them meanwhile: that must not keep a server from starting.
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
