import { readdirSync, type Dirent } from "node:fs";
import { dirname } from "node:path";
import { loadIgnore } from "../match/lazy-modules.ts";
import { segmentsOf } from "./path-text.ts";
import type { GlobLookup } from "./real-globs.ts";
import { readIndex, readText, repositoryAt, type Repository } from "./git-index.ts";

/** The limit of paths to look at for one call. */
const MAX_PATHS = 64;
/** The limit of entries to look at in one of the folders. A build writes many files. */
const MAX_ENTRIES = 100_000;
/** The limit of a `.gitignore`, which an agent can write. Every line is an expression to compile. */
const MAX_TEXT = 65_536;

// Other names may be written differently in the index.
const PLAIN = /^[ -~]+$/;

/**
 * Returns a function that says whether git ignores everything at an absolute path: a `.gitignore` lists it, none takes it back, git
 * tracks nothing of it, and it neither is nor holds a repository. Says no in doubt, for example about a path behind a link. `placesOf`: every path
 * that a path may be.
 */
export function createIgnoredPaths(
  placesOf: (path: string) => readonly string[],
  lookup: GlobLookup,
): (path: string) => boolean {
  const tracked = new Map<string, readonly string[] | undefined>();
  let left = MAX_PATHS;
  const trackedIn = (repository: Repository): readonly string[] | undefined => {
    if (!tracked.has(repository.top))
      tracked.set(
        repository.top,
        readIndex(repository)?.entries.map(({ name }) => name.toLowerCase()),
      );
    return tracked.get(repository.top);
  };
  return (given) => {
    const path = `/${segmentsOf(given).join("/")}`;
    const [place, ...others] = placesOf(given);
    if (--left < 0 || !PLAIN.test(path) || place !== path || others.length > 0) return false;
    const repository = repositoryAt(dirname(path));
    if (repository === undefined || repository === "none") return false;
    const names = trackedIn(repository);
    const inside = path.slice(repository.top.length + 1);
    const folded = inside.toLowerCase();
    const holds = (name: string): boolean => name === folded || name.startsWith(`${folded}/`);
    return (
      names?.some(holds) === false &&
      isListed(repository.top, inside, lookup) &&
      !holdsRepository(path)
    );
  };
}

// Git ignores a repository in an ignored folder too, but its commits may be nowhere else. True in doubt.
function holdsRepository(folder: string): boolean {
  const open = [folder];
  let left = MAX_ENTRIES;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = entriesOf(at);
    left -= entries?.length ?? left + 1;
    if (left < 0 || entries?.some(({ name }) => name.toLowerCase() === ".git") === true)
      return true;
    for (const entry of entries ?? [])
      if (!entry.isFile() && !entry.isSymbolicLink()) open.push(`${at}/${entry.name}`);
  }
  return false;
}

function entriesOf(path: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? [] : undefined;
  }
}

// The files of git's own folder and of the user are left out. They come after these, so they cannot take anything back.
function isListed(top: string, inside: string, lookup: GlobLookup): boolean {
  const names = inside.split("/");
  let listed = false;
  for (let at = 0; at < names.length; at++) {
    const file = [top, ...names.slice(0, at), ".gitignore"].join("/");
    const kind = lookup.kindOf(file);
    if (kind === "nothing") continue;
    const text = kind === "file" ? readText(file) : undefined;
    if (text === undefined || text.length > MAX_TEXT) return false;
    const { ignored, unignored } = loadIgnore()({ ignorecase: false })
      .add(text)
      .test(`${names.slice(at).join("/")}/`);
    if (unignored) return false;
    listed ||= ignored;
  }
  return listed;
}
