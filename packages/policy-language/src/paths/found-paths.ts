import { existsSync, realpathSync } from "node:fs";
import type { GitFiles } from "./git-files.ts";
import { mayName } from "./name-glob.ts";
import type { FoundRef } from "./path-refs.ts";
import { hasMeaning, isOneWord } from "./path-text.ts";
import type { GlobLookup } from "./real-globs.ts";

/** What a look at the files below a folder needs to know. */
interface Search {
  /** Which files count, by their absolute paths. Default: all. */
  readonly counts?: ((path: string) => boolean) | undefined;
  /** Needed if files are left out that git ignores or tracks. */
  readonly git?: GitFiles | undefined;
}

type Ref = Pick<
  FoundRef,
  "only" | "links" | "splits" | "expands" | "recursive" | "except" | "leavesOut" | "fromTop"
>;

/** A program that reads everything below a folder. */
export const EVERYTHING: Ref = {
  ...{ only: undefined, links: true, splits: false, expands: false, recursive: false },
  ...{ except: [], leavesOut: undefined, fromTop: false },
};

/** Whether a program that follows links below a path reads nothing elsewhere. */
export const holdsNoLink = (path: string, lookup: GlobLookup): boolean =>
  /^(?:file|folder)$/.test(lookup.kindOf(path)) &&
  foundPaths(path, EVERYTHING, lookup, { counts: (one) => lookup.kindOf(one) === "link" })
    ?.length === 0;

/**
 * Lists the files below a folder that another program would find now. Undefined if there are too many, a folder
 * cannot be read, or a name would be read as a different path.
 */
export function foundPaths(
  folder: string,
  { only, links, splits, expands, recursive, except, leavesOut, fromTop }: Ref,
  lookup: GlobLookup,
  { counts = () => true, git }: Search = {},
): readonly string[] | undefined {
  const found: string[] = [];
  const given = folder === "/" ? "" : folder.replace(/\/+$/, "");
  // What git does with a file depends on its path without links. Below the folder none is followed.
  const real = leavesOut === undefined ? undefined : realOf(folder);
  const repository = fromTop && real !== undefined ? git?.repositoryAt(real) : undefined;
  const above = repository === "none" ? undefined : repository?.top;
  const top = above ?? given;
  const isRipgrep = leavesOut === "ignored" || leavesOut === "hidden";
  // Ripgrep searches an ignored folder that the command names.
  const isNamed = real !== undefined && git?.listing(real, "folder") === "ignored";
  return walk(top, isRipgrep && (isNamed || hasOtherRules(real ?? "")), only === undefined)
    ? found
    : undefined;

  // `all`: nothing is left out. `whole`: every name counts.
  function walk(at: string, all: boolean, whole: boolean): boolean {
    const names = lookup.namesIn(at);
    if (splits && at === top && names?.some(hasMeaning) === true) return false;
    const inAll = all || (isRipgrep && names?.some((name) => OTHER_RULES.includes(name)) === true);
    return names !== undefined && names.every((name) => enter(`${at}/${name}`, name, inAll, whole));
  }

  function enter(path: string, name: string, all: boolean, whole: boolean): boolean {
    const kind = lookup.kindOf(path);
    if (kind === "hidden") return false;
    if (kind === "folder" && (except.includes(name) || isLeftOut(path, name, all))) return true;
    const isWanted = whole || only?.some((glob) => mayName(glob, name)) === true;
    // A program that gets a link to a folder also reads what is below it, which is not listed here.
    if (recursive && isWanted && links && kind === "link") return false;
    if (splits && (isWanted || kind === "folder") && !isOneWord(name, expands)) return false;
    if (isWanted && (links || kind !== "link") && counts(path) && !isLeftOut(path, name, all)) {
      found.push(path);
      if (!lookup.count()) return false;
    }
    return kind !== "folder" || walk(path, all, whole || (recursive && isWanted));
  }

  function isLeftOut(path: string, name: string, all: boolean): boolean {
    if (leavesOut === undefined || real === undefined || all) return false;
    const kind = lookup.kindOf(path) === "folder" ? "folder" : "file";
    if (kind === "folder" && name === ".git") return true;
    const actual = above === undefined ? real + path.slice(given.length) : path;
    const listed = git?.listing(actual, kind);
    // A glob given to ripgrep outranks every rule about files.
    if (isRipgrep && only?.some((glob) => mayName(glob, name)) === true) return false;
    if (leavesOut === "hidden" && name.startsWith(".") && listed === "none")
      if (git?.reincludes(real) !== true) return true;
    return (
      listed === "ignored" ||
      (leavesOut === "tracked" && kind === "file" && git?.tracks(actual) === true)
    );
  }
}

// Files of ripgrep that can re-include what a `.gitignore` lists.
const OTHER_RULES: readonly string[] = [".ignore", ".rgignore"];

function hasOtherRules(folder: string): boolean {
  for (let at = folder; at !== ""; at = at.slice(0, at.lastIndexOf("/")))
    if (OTHER_RULES.some((name) => existsSync(`${at}/${name}`))) return true;
  return false;
}

function realOf(folder: string): string | undefined {
  try {
    const real = realpathSync(folder === "" ? "/" : folder);
    return real === "/" ? "" : real;
  } catch {
    return undefined;
  }
}
