import { lstatSync, opendirSync } from "node:fs";
import { mayFind } from "./name-glob.ts";
import type { CommandGlob } from "./call-paths.ts";

/** The limit of folder entries to read for all globs of a call. */
const MAX_ENTRIES = 10_000;
const ENTRIES_AT_ONCE = 256;
const MAX_FOUND = 1000;

/** Expands the globs of one call within a limit. Each folder and entry is read once. */
export class GlobLookup {
  #entries: number;
  #found = MAX_FOUND;
  readonly #names = new Map<string, readonly string[]>();
  readonly #kinds = new Map<string, Kind>();

  constructor(entries = MAX_ENTRIES) {
    this.#entries = entries;
  }

  /** Counts a found path. Returns false past the limit. */
  count(): boolean {
    this.#found -= 1;
    return this.#found >= 0;
  }

  /** The names in a folder. Empty if there is no such folder; undefined if it cannot be read or the limit is reached. */
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
    // Opening a missing folder is several times slower than checking for it.
    if (this.kindOf(path === "" ? "/" : path) === "nothing") return [];
    try {
      const folder = opendirSync(path === "" ? "/" : path, { bufferSize: ENTRIES_AT_ONCE });
      try {
        const names: string[] = [];
        for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
          // A name that is not UTF-8 cannot be looked up, and may be a link.
          if (!this.#takes(1) || entry.name.includes("\uFFFD")) return undefined;
          names.push(entry.name);
          const kind = entry.isDirectory() ? "folder" : entry.isFile() ? "file" : undefined;
          if (kind !== undefined) this.#kinds.set(`${path}/${entry.name}`, kind);
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
 * The paths that a command's glob currently finds through links. If a name could be created below a link, the path that it would
 * have. Other matches are below the glob's folder anyway. Undefined if the limit is reached or a folder cannot be read.
 */
export function linkedPaths(
  folder: string,
  names: CommandGlob["names"],
  lookup: GlobLookup,
): readonly string[] | undefined {
  const found: string[] = [];
  return walk(folder === "/" ? "" : folder.replace(/\/+$/, ""), 0, false) ? found : undefined;

  // Returns false if something could not be read.
  function walk(at: string, depth: number, linked: boolean): boolean {
    const name = names[depth];
    if (name === undefined) return !linked || add(at);
    if (name !== "**" && name.literal !== undefined)
      return enter(`${at}/${name.literal}`, depth + 1, linked);
    if (linked && !add(at)) return false;
    if (name === "**" && !walk(at, depth + 1, linked)) return false;
    // Where a shell reads `**` as any number of folders, it follows no links there. Elsewhere `**` is `*`.
    const entries = lookup.namesIn(at);
    return (
      entries !== undefined &&
      entries.every((entry) =>
        name === "**"
          ? entry.startsWith(".") || enterAny(`${at}/${entry}`, depth, linked)
          : !mayFind(name, entry) || enter(`${at}/${entry}`, depth + 1, linked),
      )
    );
  }

  function enterAny(path: string, depth: number, linked: boolean): boolean {
    return enter(path, linked || lookup.kindOf(path) !== "folder" ? depth + 1 : depth, linked);
  }

  function enter(path: string, depth: number, linked: boolean): boolean {
    const kind = lookup.kindOf(path);
    const through = linked || kind === "link";
    if (kind === "hidden") return false;
    // A missing name can still be created below a link.
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
