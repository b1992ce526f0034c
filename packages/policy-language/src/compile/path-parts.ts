import type { CallFacts } from "../match/call-facts.ts";
import type { GlobSet } from "../paths/glob-set.ts";
import type { Place } from "../paths/place.ts";

type Globs = GlobSet | undefined;

/**
 * Whether an allow covers every path of a call. `named`: the rule names the command, so it also covers a command that
 * touches no files.
 */
export function pathsAllow(
  read: Globs,
  write: Globs,
  facts: CallFacts,
  { named: byName }: { readonly named: boolean },
): boolean {
  const { known, unknown, doubtful, from } = facts.paths;
  if (unknown !== undefined || doubtful || from === "generic") return false;
  if (known.length === 0) return byName && facts.part?.remote === false;
  return known.every(({ access, places, cover, region, folders, remote, follows }) => {
    if (remote || follows) return false;
    const covers = (place: Place, scope: { below: boolean; strictly?: boolean }): boolean =>
      (access === "write" || read?.covers(place, facts.paths, scope) === true) &&
      (access === "read" || write?.covers(place, facts.paths, scope) === true);
    const below = region !== undefined;
    const coversFilter = (place: Place): boolean =>
      region !== undefined &&
      (access === "write" || read?.coversNames(place, region, facts.paths) === true) &&
      (access === "read" || write?.coversNames(place, region, facts.paths) === true);
    return (
      places.every(
        (place, at) => covers(place, { below, strictly: at < folders }) || coversFilter(place),
      ) ||
      cover?.every((place) => covers(place, { below: below && region.names === undefined })) ===
        true
    );
  });
}

/** Whether the host found that git ignores everything that a command changes. */
export const isIgnored = ({ paths: { known, unknown } }: CallFacts): boolean =>
  unknown === undefined &&
  known.every(({ access, ignored }) => access === "read" || ignored) &&
  known.some(({ ignored }) => ignored);

export function pathsDeny(read: Globs, write: Globs, { paths }: CallFacts): boolean {
  return paths.known.some(({ access, all, named, region }) => {
    const covers = (place: Place, scope?: { below: boolean; strictly: boolean }): boolean =>
      (access !== "write" && read?.covers(place, paths, scope) === true) ||
      (access !== "read" && write?.covers(place, paths, scope) === true);
    return (
      named.some((place) => covers(place)) ||
      // A glob for all that lies in a folder matches whatever the names are.
      (named.length < all.length && region?.folders.some((place) => covers(place, INSIDE)) === true)
    );
  });
}

const INSIDE = { below: true, strictly: true } as const;

/** Whether a folder that the command names may contain something that the globs match. */
export function pathsMayDeny(read: Globs, write: Globs, { paths }: CallFacts): boolean {
  return paths.known.some(({ access, region, listed, maybe }) => {
    const some = (test: (globs: GlobSet, brings: boolean) => boolean): boolean =>
      (access !== "write" && read !== undefined && test(read, false)) ||
      (access !== "read" && write !== undefined && test(write, true));
    return (
      (region !== undefined &&
        !listed &&
        some((globs, brings) => globs.mayMeet(region, paths, { brings }))) ||
      (maybe.length > 0 && some((globs) => maybe.some((place) => globs.covers(place, paths))))
    );
  });
}
