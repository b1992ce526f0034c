import { readdirSync, type Dirent } from "node:fs";
import type { GitFiles } from "./git-files.ts";
import { segmentsOf } from "./path-text.ts";

/** The limit of paths to look at for one call. */
const MAX_PATHS = 64;
/** The limit of entries to look at for one call. A build writes many files. */
const MAX_ENTRIES = 100_000;

/**
 * Returns a function that says whether git ignores everything at an absolute path: a `.gitignore` lists it, none takes it back, git
 * tracks nothing of it, and it neither is nor holds a repository. Says no in doubt, for example about a path behind a link. `placesOf`:
 * every path that a path may be.
 */
export function createIgnoredPaths(
  placesOf: (path: string) => readonly string[],
  git: GitFiles,
): (path: string) => boolean {
  let left = MAX_PATHS;
  let unread = MAX_ENTRIES;
  return (given) => {
    const path = `/${segmentsOf(given).join("/")}`;
    const [place, ...others] = placesOf(given);
    return (
      --left >= 0 &&
      place === path &&
      others.length === 0 &&
      git.listing(path, "folder") === "ignored" &&
      git.tracks(path) === false &&
      !holdsRepository(path)
    );
  };

  // Git ignores a repository in an ignored folder too, but its commits may be nowhere else. True in doubt.
  function holdsRepository(folder: string): boolean {
    const open = [folder];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const found = entriesOf(at);
      unread -= found?.length ?? unread + 1;
      if (unread < 0 || found?.some(({ name }) => name.toLowerCase() === ".git") === true)
        return true;
      for (const entry of found ?? [])
        if (!entry.isFile() && !entry.isSymbolicLink()) open.push(`${at}/${entry.name}`);
    }
    return false;
  }
}

function entriesOf(path: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? [] : undefined;
  }
}
