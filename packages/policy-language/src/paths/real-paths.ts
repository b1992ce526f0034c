import { lstatSync, readlinkSync, realpathSync, statSync, type Stats } from "node:fs";
import type { JsonObject, ToolCall } from "@bylaw/kernel";
import type { CommandGlob } from "./call-paths.ts";
import { absolutePath, segmentsOf } from "./path-text.ts";
import { resolveGlobs } from "./resolve-globs.ts";

export { lineFacts } from "./line-facts.ts";

/** The options for resolving paths. */
export interface ResolveOptions {
  /** Globs of commands. Each is expanded to the paths that it finds through links. */
  readonly globs?: readonly CommandGlob[];
  /** The folders of the call whose own path should be kept in a result, even if the folder is behind a link. Default: all three. */
  readonly seenFrom?: readonly ("workspace" | "cwd" | "home")[];
  /**
   * How to treat a link before `..` and a link to a missing file. Programs differ in following the first, and may
   * create the target of the second. `follow` returns every possible path, `refuse` none.
   */
  readonly doubtful?: "follow" | "refuse";
  /** Files for which every other path of the same file (hard links) is returned too. */
  readonly guarded?: readonly string[];
  /**
   * The subject that the kernel passes to `prepare`, which is a new object each time. Results are cached for it, so
   * that all plugins see the same and the file system is read once. Default: no cache.
   */
  readonly preparation?: object;
}

/** Reads the entry at a path that contains no links. Undefined if the path must be walked link by link. */
type Look = (path: string) => Straight | undefined;

const looks = new WeakMap<object, Look>();

function lookOf(preparation: object | undefined): Look {
  const known = preparation === undefined ? undefined : looks.get(preparation);
  if (known !== undefined) return known;
  const look = createLook();
  if (preparation !== undefined) looks.set(preparation, look);
  return look;
}

// Each path and each folder is read once.
function createLook(): Look {
  const paths = new Map<string, Straight | undefined>();
  const folders = new Map<string, boolean>();
  const isReal = (folder: string): boolean => {
    let real = folders.get(folder);
    if (real === undefined) folders.set(folder, (real = isRealFolder(folder)));
    return real;
  };
  return (path) => {
    if (paths.has(path)) return paths.get(path);
    const found = straight(path, isReal);
    paths.set(path, found);
    return found;
  };
}

/**
 * Resolves the links in the paths of a call: `{ paths: [[text, real path, other names …]] }`. For a real path inside
 * a folder of the call that is itself behind a link, the path through that folder comes first, then the real path. A
 * text alone cannot be resolved, and is never allowed. The results for globs are in `globs`.
 */
export function resolvePaths(
  call: ToolCall,
  texts: readonly string[],
  options: ResolveOptions = {},
): JsonObject | undefined {
  const {
    globs = [],
    seenFrom = ["workspace", "cwd", "home"],
    doubtful = "follow",
    guarded = [],
    preparation,
  } = options;
  if (texts.length === 0 && globs.length === 0) return undefined;
  const look = lookOf(preparation);
  let roots: readonly Root[] | undefined;
  const folders = seenFrom.map((folder) => call[folder]);
  const rootsOnce = (): readonly Root[] => (roots ??= rootsOf(folders, look));
  const seenAs = (real: string, plain: string): string => {
    // Most paths are below a folder of the call and contain no link.
    const plainly =
      real === plain &&
      folders.some((folder) => folder !== undefined && real.startsWith(`${folder}/`));
    return plainly ? real : reroot(real, rootsOnce());
  };
  const placesOf = (path: string): readonly string[] =>
    doubtful === "follow"
      ? followed(path, rootsOnce, look)
      : undoubted(path, { seenAs, guarded, look });
  const paths = texts.map((text, at) =>
    at < MAX_PATHS ? [text, ...placesOf(absolutePath(text, call))] : [text],
  );
  if (globs.length === 0) return { paths };
  return { paths, globs: resolveGlobs(globs, call, placesOf) };
}

const MAX_PATHS = 1000;

// Matches empty and dot segments.
const UNTIDY = /\/\.{0,2}(?:\/|$)/;
const tidied = (path: string): string =>
  path.startsWith("/") && !UNTIDY.test(path) ? path : `/${segmentsOf(path).join("/")}`;

interface Root {
  readonly seen: string;
  readonly real: string;
}

function rootsOf(folders: readonly (string | undefined)[], look: Look): readonly Root[] {
  const roots: Root[] = [];
  for (const folder of new Set(folders)) {
    if (folder === undefined || !folder.startsWith("/")) continue;
    const seen = tidied(folder);
    const real = realOf(seen, look);
    if (real !== undefined && real !== seen && real !== "/") roots.push({ seen, real });
  }
  return roots;
}

// Matches a name, then `..`, then the same name.
const TWICE = /\/([^/]+)\/\.\.\/\1(?:\/|$)/;

// Returns all possible paths. An allow must cover the first; empty if the links cannot be followed.
function followed(path: string, rootsOnce: () => readonly Root[], look: Look): readonly string[] {
  const plain = tidied(path);
  const real = realOf(plain, look);
  if (real === undefined) return [];
  // The system follows a link before it applies `..`, but a program that normalizes the text first does not. Both
  // results must be allowed.
  const physical = path.split("/").includes("..") ? realOf(path, look) : real;
  if (real === plain && (physical === undefined || physical === real)) return [real];
  const roots = rootsOnce();
  // Whether a program normalizes such a path is unknown, so it must contain no link.
  if (TWICE.test(path) && reroot(real, roots) !== plain) return [];
  if (physical !== undefined && physical !== real) return [reroot(physical, roots), real, physical];
  const seen = reroot(real, roots);
  return seen === real ? [real] : [seen, real];
}

interface Undoubted {
  readonly seenAs: (real: string, plain: string) => string;
  readonly guarded: readonly string[];
  readonly look: Look;
}

// A link before `..` leads to an unknown place, and writing through a link to a missing file creates its target.
function undoubted(path: string, { seenAs, guarded, look }: Undoubted): readonly string[] {
  const plain = tidied(path);
  if (plain !== path) {
    const segments = path.split("/");
    for (const [at, segment] of segments.entries()) {
      if (segment !== "..") continue;
      const above = tidied(segments.slice(0, at).join("/"));
      const real = realOf(above, look, "nowhere");
      if (real === undefined || seenAs(real, above) !== above) return [];
    }
  }
  const there = look(plain);
  const real = there === undefined ? walk(plain, "nowhere") : plain;
  if (real === undefined) return [];
  const seen = seenAs(real, plain);
  const others =
    guarded.length === 0 ? guarded : hardLinksAmong(there ?? { entry: statsOf(real) }, guarded);
  if (others.length === 0) return seen === real ? [real] : [seen, real];
  return [...new Set([seen, real, ...others])];
}

// The paths of the same file by inode, because a hard link cannot be followed like a symbolic link.
function hardLinksAmong({ entry: file }: Straight, guarded: readonly string[]): readonly string[] {
  if (file === undefined || !file.isFile() || file.nlink < 2) return [];
  return guarded.filter((path) => {
    const other = statsOf(path);
    return other?.ino === file.ino && other.dev === file.dev;
  });
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function reroot(path: string, roots: readonly Root[]): string {
  for (const { seen, real } of roots) {
    if (path === real) return seen;
    if (path.startsWith(`${real}/`)) return seen + path.slice(real.length);
  }
  return path;
}

const MAX_LINKS = 40;

/**
 * Resolves all links of a path. A missing file keeps its path. A link to a missing file resolves to its target,
 * because writing through the link creates it; with `dangling: "nowhere"` the result is undefined. Also undefined if
 * there is a loop or a permission is missing.
 */
export function realPath(
  path: string,
  { dangling = "target" }: { readonly dangling?: Dangling } = {},
): string | undefined {
  return realOf(path, createLook(), dangling);
}

const realOf = (path: string, look: Look, dangling: Dangling = "target"): string | undefined =>
  look(path) === undefined ? walk(path, dangling) : path;

type Dangling = "target" | "nowhere";

/** The entry at a path that contains no links. `entry` is undefined if there is none yet. */
interface Straight {
  readonly entry: Stats | undefined;
}

// Most paths contain no link and have an existing folder. For these, one system call resolves the folder and one
// reads the last name. All others are walked.
function straight(path: string, isReal: (folder: string) => boolean): Straight | undefined {
  const slash = path.lastIndexOf("/");
  const name = path.slice(slash + 1);
  if (slash < 0 || name === "" || name === "." || name === "..") return undefined;
  const folder = slash === 0 ? "/" : path.slice(0, slash);
  if (!isReal(folder)) return undefined;
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    return entry?.isSymbolicLink() === true ? undefined : { entry };
  } catch {
    return undefined;
  }
}

function isRealFolder(folder: string): boolean {
  try {
    return realpathSync.native(folder) === folder;
  } catch {
    return false;
  }
}

function walk(path: string, dangling: Dangling): string | undefined {
  const pending = path.split("/").toReversed();
  let at = "";
  let exists = true;
  let links = 0;
  // How many segments are left when the outermost link has been followed to its end.
  let after = Number.POSITIVE_INFINITY;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (pending.length < after) after = Number.POSITIVE_INFINITY;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = at.slice(0, at.lastIndexOf("/"));
      exists = true;
      continue;
    }
    const here = `${at}/${name}`;
    // Read each segment once, to tell a missing entry from one that cannot be read.
    const found: Entry = exists ? lookAt(here) : "nothing";
    if (found === "hidden") return undefined;
    exists = found !== "nothing";
    if (!exists && dangling === "nowhere" && after < Number.POSITIVE_INFINITY) return undefined;
    if (typeof found !== "object") {
      at = here;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return undefined;
    after = Math.min(after, pending.length);
    if (found.target.startsWith("/")) at = "";
    pending.push(...found.target.split("/").toReversed());
  }
  return at === "" ? "/" : at;
}

type Entry = "nothing" | "something" | "hidden" | { readonly target: string };

function lookAt(path: string): Entry {
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) return "nothing";
    return entry.isSymbolicLink() ? { target: readlinkSync(path) } : "something";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "nothing" : "hidden";
  }
}
