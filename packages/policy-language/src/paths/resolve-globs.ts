import type { JsonObject, ToolCall } from "@bylaw/kernel";
import { broughtPaths } from "./brought-paths.ts";
import type { CommandGlob } from "./call-paths.ts";
import { foundPaths, holdsNoLink } from "./found-paths.ts";
import { GitFiles } from "./git-files.ts";
import { createIgnoredPaths } from "./ignored-paths.ts";
import { absolutePath } from "./path-text.ts";
import { plainMatches } from "./plain-matches.ts";
import { trackedBelow, trackedPaths } from "./tracked-paths.ts";
import { GlobLookup, linkedPaths } from "./real-globs.ts";

/** The limit of folder entries to read where what git ignores is left out. */
const MAX_UNIGNORED = 50_000;

type Paths = readonly string[] | undefined;

/** Every path that a path may be. Empty if that cannot be resolved. */
type PlacesOf = (path: string) => readonly string[];

/** Looks in the file system for what the globs of a call find. Returns what a stamp says of them. */
export function resolveGlobs(
  wanted: readonly CommandGlob[],
  call: ToolCall,
  placesOf: PlacesOf,
): JsonObject[] {
  const lookup = new GlobLookup();
  // A folder that does not exist here may exist where the command runs.
  const globs = wanted.filter(
    ({ folder, found }) =>
      found?.denied !== true ||
      found.leavesOut === "untracked" ||
      lookup.kindOf(absolutePath(folder, call)) !== "nothing",
  );
  // Without what git ignores, these are the files that people work on, and most searches are of all of them.
  const wide = new GlobLookup(MAX_UNIGNORED);
  const git = new GitFiles(wide, call.home);
  const isIgnored = createIgnoredPaths(placesOf, git);
  // Undefined if nothing is known of what the shell finds.
  const matchesOf = (folder: string, names: CommandGlob["names"]): Paths => {
    if (names.length === 0) return [folder];
    const matches = plainMatches(folder, { names }, lookup);
    return matches && [...matches.found, ...matches.hidden];
  };
  const linked = globs.map(({ folder, names, found, counts = () => true, asks }) => {
    const at = absolutePath(folder, call);
    if (asks === "ignored") return matchesOf(at, names)?.every(isIgnored) === true ? [] : undefined;
    if (asks === "unlinked") return holdsNoLink(at, wide) ? [] : undefined;
    if (asks !== undefined) return isMissing(lookup.kindOf(at), asks) ? [] : undefined;
    if (found === undefined) return placesOfAll(linkedPaths(at, names, lookup), placesOf);
    if (found.into !== undefined)
      return placesOfAll(
        broughtPaths({ from: at, into: found.into, call, counts }, wide, placesOf),
        placesOf,
      );
    if (found.tracked !== undefined) return placesOfAll(trackedPaths(at, found, lookup), placesOf);
    const starts = found.denied ? (matchesOf(at, names) ?? [at]) : [at];
    const lists = starts.map((start) =>
      found.leavesOut === "untracked"
        ? trackedBelow(start, found, lookup, counts)
        : foundPaths(start, found, found.leavesOut ? wide : lookup, { counts, git }),
    );
    return placesOfAll(all(lists), placesOf);
  });
  // A path through a link is unknown past the limits, so all links are looked for first.
  return globs.map(({ pattern, folder, names, globbed }, index) => {
    const places = linked[index];
    if (places === undefined) return { pattern };
    const plain =
      globbed === true && places.length === 0
        ? plainMatches(absolutePath(folder, call), { pattern, names }, lookup)
        : undefined;
    const [matches, hidden] = [plain?.found, plain?.hidden].map((paths) =>
      placesOfAll(paths, placesOf),
    );
    if (matches === undefined || hidden === undefined) return { pattern, places };
    return { pattern, places, matches, ...(hidden.length > 0 && { hidden }) };
  });
}

// Undefined if one of the lists is not known.
const all = (lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined =>
  lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);

// A link may lead to a folder.
const isMissing = (kind: ReturnType<GlobLookup["kindOf"]>, needs: "folder" | "anything"): boolean =>
  kind === "nothing" || (needs === "folder" && kind === "file");

// Undefined if one of the paths cannot be resolved.
function placesOfAll(
  paths: readonly string[] | undefined,
  placesOf: PlacesOf,
): (readonly string[])[] | undefined {
  const places = paths?.map(placesOf);
  return places?.every(({ length }) => length > 0) === true ? places : undefined;
}
