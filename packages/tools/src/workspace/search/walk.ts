import type { Dirent } from "node:fs";
import { codeOf, type Folder } from "../files/folder.ts";
import { inFolder, type Place, type Workspace } from "../files/workspace.ts";
import type { Budget } from "./budget.ts";

// Large folders that are not part of the work. A search of a folder inside them does see it.
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules"]);
// Files that are being written.
const ASIDE = ".bylaw/tmp";
const MAX_DEPTH = 64;
// The most members of a folder. A search ends at the limit.
const MAX_MEMBERS = 100_000;

/**
 * Walks through the files of a folder in the order of their names, until `visit` returns a reason to stop or the budget is used up.
 * Resolves to the reason. The path may also be a single file. Links are not followed; hidden places, `.git` and `node_modules` are skipped.
 */
export async function walk(
  workspace: Workspace,
  segments: readonly string[],
  budget: Budget,
  visit: (place: Place) => Promise<string | undefined>,
): Promise<string | undefined> {
  workspace.mayRead(segments);

  async function below(folder: Folder, path: readonly string[]): Promise<string | undefined> {
    for (const entry of await entriesOf(folder)) {
      const stop = await budget.over();
      if (stop !== undefined) return stop;
      const next = [...path, entry.name];
      if (entry.isSymbolicLink() || workspace.isHidden(next)) continue;
      const answer = entry.isDirectory()
        ? await enter(folder, next)
        : await visit(placeIn(folder, entry.name));
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  async function enter(folder: Folder, path: readonly string[]): Promise<string | undefined> {
    const name = path.at(-1) ?? "";
    if (LEFT_OUT.has(name) || path.join("/") === ASIDE || path.length - segments.length > MAX_DEPTH)
      return undefined;
    const child = await folder.enter(name).catch(() => undefined);
    if (child === undefined) return undefined;
    try {
      return await below(child, path);
    } finally {
      await child.close();
    }
  }

  const last = segments.at(-1);
  if (last === undefined) return inFolder(workspace.real, [], {}, (folder) => below(folder, []));
  return inFolder(workspace.real, segments.slice(0, -1), {}, async (folder) => {
    const kind = await folder.kindOf(last);
    if (kind?.isDirectory() !== true) {
      // Throws an error if the file cannot be read.
      await (await folder.read(last)).handle.close();
      return visit(placeIn(folder, last));
    }
    const child = await folder.enter(last);
    try {
      return await below(child, segments);
    } finally {
      await child.close();
    }
  });
}

const placeIn = (folder: Folder, name: string): Place => ({
  folder,
  name,
  path: folder.pathOf(name),
});

async function entriesOf(folder: Folder): Promise<readonly Dirent[]> {
  try {
    return [...(await folder.list(MAX_MEMBERS))].sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // The folder cannot be read by this user, or has just been removed.
    if (codeOf(error) === "EACCES" || codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
