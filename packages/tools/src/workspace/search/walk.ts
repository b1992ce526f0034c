import type { Dirent } from "node:fs";
import { codeOf, type Folder } from "../files/folder.ts";
import { inFolder, type Place, type Workspace } from "../files/workspace.ts";
import type { Budget } from "./budget.ts";

// Large, and not part of the work. A search that names a folder inside them sees it.
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules"]);
// Files that are being written.
const ASIDE = ".bylaw/tmp";
const MAX_DEPTH = 64;
// A search of more ends before it is through.
const MAX_MEMBERS = 100_000;

/**
 * Goes through the files of a folder, in order of their names, until `visit` answers or the budget is over, and says why it stopped. One
 * file is a walk too. No link is followed; what is kept from agents, `.git` and `node_modules` are left out.
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
      // Says what is wrong with it, if anything is.
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
    // Not ours to read, or gone.
    if (codeOf(error) === "EACCES" || codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
