import { lstatSync, opendirSync } from "node:fs";
import { mayFind } from "./path-overlap.ts";
import type { CommandGlob } from "./call-paths.ts";

/** As many entries of folders are looked at, all globs of a call together. */
const MAX_ENTRIES = 10_000;
const MAX_FOUND = 1000;

/** What the globs of one call find in folders, and how much they may still look at. Each folder and entry is looked at once. */
export class GlobLookup {
  #entries = MAX_ENTRIES;
  #found = MAX_FOUND;
  readonly #names = new Map<string, readonly string[]>();
  readonly #kinds = new Map<string, Kind>();

  /** Counts a path that was found; false: there are too many. */
  count(): boolean {
    this.#found -= 1;
    return this.#found >= 0;
  }

  /** The names in a folder, none where there is no folder; undefined where it cannot be read, or there are too many. */
  namesIn(path: string): readonly string[] | undefined {
    const known = this.#names.get(path);
    if (known !== undefined) return this.#takes(known.length) ? known : undefined;
    const names = this.#readNames(path);
    if (names !== undefined) this.#names.set(path, names);
    return names;
  }

  #takes(entries: number): boolean {
    this.#entries -= entries;
    return this.#entries >= 0;
  }

  #readNames(path: string): readonly string[] | undefined {
    // To open what is not there costs several times as much as to look.
    if (this.kindOf(path === "" ? "/" : path) === "nothing") return [];
    try {
      const folder = opendirSync(path === "" ? "/" : path);
      try {
        const names: string[] = [];
        for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
          if (!this.#takes(1)) return undefined;
          names.push(entry.name);
        }
        return names;
      } finally {
        folder.closeSync();
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code === "ENOENT" || code === "ENOTDIR" ? [] : undefined;
    }
  }

  kindOf(path: string): Kind {
    let kind = this.#kinds.get(path);
    if (kind === undefined) this.#kinds.set(path, (kind = kindOf(path)));
    return kind;
  }
}

/**
 * The paths that a glob of a command finds now by way of a link; where a name could be made below the link, the link itself. What
 * it finds without one lies below its folder anyway. Undefined where there is too much to look at, or a folder cannot be read.
 */
export function linkedPaths(
  folder: string,
  names: CommandGlob["names"],
  lookup: GlobLookup,
): readonly string[] | undefined {
  const found: string[] = [];
  return walk(folder === "/" ? "" : folder.replace(/\/+$/, ""), 0, false) ? found : undefined;

  // Whether all of it could be looked at.
  function walk(at: string, depth: number, linked: boolean): boolean {
    const name = names[depth];
    if (name === undefined) return !linked || add(at);
    if (name !== "**" && name.literal !== undefined)
      return enter(`${at}/${name.literal}`, depth + 1, linked);
    if (linked && !add(at)) return false;
    if (name === "**" && !walk(at, depth + 1, linked)) return false;
    // Shells that are not told otherwise take `**` for `*`, and those that are follow no link by it.
    const entries = lookup.namesIn(at);
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
    const kind = lookup.kindOf(path);
    const through = linked || kind === "link";
    if (kind === "hidden") return false;
    // A name that is not there yet can be made below a link.
    if (kind === "nothing")
      return (
        !through ||
        add(
          [path, ...names.slice(depth).map((name) => (name === "**" ? "" : name.prefix))].join("/"),
        )
      );
    if (depth < names.length && kind === "file") return true;
    return walk(path, depth, through);
  }

  function add(path: string): boolean {
    found.push(path);
    return lookup.count();
  }
}

type Kind = "nothing" | "link" | "folder" | "file" | "hidden";

function kindOf(path: string): Kind {
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) return "nothing";
    return entry.isSymbolicLink() ? "link" : entry.isDirectory() ? "folder" : "file";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "nothing" : "hidden";
  }
}
