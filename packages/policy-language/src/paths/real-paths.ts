import { lstatSync, readlinkSync, realpathSync, statSync, type Stats } from "node:fs";
import type { JsonObject, ToolCall } from "@bylaw/kernel";
import type { CommandGlob } from "./call-paths.ts";
import { absolutePath, segmentsOf } from "./path-text.ts";
import { foundPaths } from "./found-paths.ts";
import { GlobLookup, linkedPaths } from "./real-globs.ts";

/** How paths are resolved. */
export interface ResolveOptions {
  /** Globs of commands besides: what each finds by way of a link. */
  readonly globs?: readonly CommandGlob[];
  /** The folders of the call through which a path may be seen that lies behind a link of theirs. Default: all three. */
  readonly seenFrom?: readonly ("workspace" | "cwd" | "home")[];
  /**
   * What becomes of a link before `..`, which programs follow or tidy away, and of a link to what is not there, which they may make:
   * `follow` names every place that it may be, `refuse` none.
   */
  readonly doubtful?: "follow" | "refuse";
  /** Files of which a second name (a hard link) is named too. */
  readonly guarded?: readonly string[];
  /**
   * The subject as the kernel hands it to those who prepare it, which is another object each time: what was looked at for it is not looked at
   * again, so that all plugins see the same, and the system is asked once. Left out: everything is looked at now.
   */
  readonly preparation?: object;
}

/** What stands at a path without a link in it; `undefined` where that has to be walked. */
type Look = (path: string) => Straight | undefined;

const looks = new WeakMap<object, Look>();

function lookOf(preparation: object | undefined): Look {
  const known = preparation === undefined ? undefined : looks.get(preparation);
  if (known !== undefined) return known;
  const look = createLook();
  if (preparation !== undefined) looks.set(preparation, look);
  return look;
}

// Each path, and each folder of paths, is looked at once.
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
 * Resolves the links in paths that a call names: `{ paths: [[text, real path, other names …]] }`. A real path inside a folder of the call
 * that itself lies behind a link is given as seen through that folder, and as it is. A text alone cannot be resolved, and is never
 * allowed. Globs besides, as `globs`.
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
    // Below a folder of the call that has no link in it: as most are.
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
  const lookup = new GlobLookup();
  return {
    paths,
    globs: globs.map(({ pattern, folder, names, found }) => {
      const at = absolutePath(folder, call);
      const listed =
        found === undefined ? linkedPaths(at, names, lookup) : foundPaths(at, found, lookup);
      const places = listed?.map(placesOf);
      return places?.every(({ length }) => length > 0) === true ? { pattern, places } : { pattern };
    }),
  };
}

const MAX_PATHS = 1000;

// Nothing stands between two slashes, or at the end, that would be left out.
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

// A name, up, and the name again.
const TWICE = /\/([^/]+)\/\.\.\/\1(?:\/|$)/;

// The first is the one that an allow must cover; none where the links cannot be followed.
function followed(path: string, rootsOnce: () => readonly Root[], look: Look): readonly string[] {
  const plain = tidied(path);
  const real = realOf(plain, look);
  if (real === undefined) return [];
  // The system follows a link before it takes `..`; a program that tidies the text first does not. Both must be allowed.
  const physical = path.split("/").includes("..") ? realOf(path, look) : real;
  if (real === plain && (physical === undefined || physical === real)) return [real];
  const roots = rootsOnce();
  // A path that says so much holds no link, or nobody knows where it leads.
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

// With a link before `..` nobody knows where it leads, and who writes through a link to nothing makes what it names.
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
    guarded.length === 0 ? guarded : namesakes(there ?? { entry: statsOf(real) }, guarded);
  if (others.length === 0) return seen === real ? [real] : [seen, real];
  return [...new Set([seen, real, ...others])];
}

// A hard link is no link to follow: the names of one file are told by its number.
function namesakes({ entry: file }: Straight, guarded: readonly string[]): readonly string[] {
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
 * The path without links; what does not exist resolves to itself, and a link to what does not exist to that, since who writes
 * through it creates it, or with `dangling: "nowhere"` to nothing. Undefined where a loop or a permission hides the answer.
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

/** A path without a link in it, with what stands there; nothing is where something could be made. */
interface Straight {
  readonly entry: Stats | undefined;
}

// Most paths have no link, and a folder that is there: one call of the system for all folders, and one look at the last name. What is
// not so, or cannot be told so quickly, is walked.
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
  // How many parts are left once the outermost link is followed to its end.
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
    // One look at each part tells what is not there from what is hidden.
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
