import { lstatSync, opendirSync } from "node:fs";
import { mayFind } from "./path-meet.ts";
import type { CommandGlob } from "./paths.ts";

/** As many entries of folders are looked at, all globs of a call together. */
const MAX_ENTRIES = 10_000;
const MAX_FOUND = 1000;

/** What all globs of one call may still look at. */
export class GlobBudget {
  entries = MAX_ENTRIES;
  found = MAX_FOUND;
}

/**
 * The paths that a glob of a command finds now by way of a link; where a name could be made below the link, the link itself. What
 * it finds without one lies below its folder anyway. Undefined where there is too much to look at, or a folder cannot be read.
 */
export function linkedPaths(folder: string, names: CommandGlob["names"], budget: GlobBudget): readonly string[] | undefined {
  const found: string[] = [];
  return walk(folder === "/" ? "" : folder.replace(/\/+$/, ""), 0, false) ? found : undefined;

  // Whether all of it could be looked at.
  function walk(at: string, depth: number, linked: boolean): boolean {
    const name = names[depth];
    if (name === undefined) return !linked || add(at);
    if (name !== "**" && name.literal !== undefined) return enter(`${at}/${name.literal}`, depth + 1, linked);
    if (linked && !add(at)) return false;
    if (name === "**" && !walk(at, depth + 1, linked)) return false;
    // Shells that are not told otherwise take `**` for `*`, and those that are follow no link by it.
    const entries = namesIn(at);
    return (
      entries !== undefined &&
      entries.every((entry) =>
        name === "**"
          ? entry.startsWith(".") || enter(`${at}/${entry}`, depth + 1, linked)
          : !mayFind(name, entry) || enter(`${at}/${entry}`, depth + 1, linked),
      )
    );
  }

  function enter(path: string, depth: number, linked: boolean): boolean {
    const kind = kindOf(path);
    const through = linked || kind === "link";
    if (kind === "hidden") return false;
    // A name that is not there yet can be made below a link.
    if (kind === "nothing")
      return !through || add([path, ...names.slice(depth).map((name) => (name === "**" ? "" : name.prefix))].join("/"));
    if (depth < names.length && kind === "file") return true;
    return walk(path, depth, through);
  }

  function add(path: string): boolean {
    budget.found -= 1;
    found.push(path);
    return budget.found >= 0;
  }

  function namesIn(path: string): readonly string[] | undefined {
    try {
      const folder = opendirSync(path === "" ? "/" : path);
      try {
        const entries: string[] = [];
        for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
          if (--budget.entries < 0) return undefined;
          entries.push(entry.name);
        }
        return entries;
      } finally {
        folder.closeSync();
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code === "ENOENT" || code === "ENOTDIR" ? [] : undefined;
    }
  }
}

function kindOf(path: string): "nothing" | "link" | "folder" | "file" | "hidden" {
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) return "nothing";
    return entry.isSymbolicLink() ? "link" : entry.isDirectory() ? "folder" : "file";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "nothing" : "hidden";
  }
}
