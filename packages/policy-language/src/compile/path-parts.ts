import type { CallFacts } from "../match/call-facts.ts";
import type { GlobSet } from "../paths/glob-set.ts";

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
  return known.every(
    ({ access, places, region, folders, remote, follows }) =>
      !remote &&
      !follows &&
      places.every((place, at) => {
        const scope = { below: region !== undefined, strictly: at < folders };
        if (access !== "write" && read?.covers(place, facts.paths, scope) !== true) return false;
        return access === "read" || write?.covers(place, facts.paths, scope) === true;
      }),
  );
}

export function pathsDeny(read: Globs, write: Globs, { paths }: CallFacts): boolean {
  return paths.known.some(({ access, all }) =>
    all.some(
      (place) =>
        (access !== "write" && read?.covers(place, paths) === true) ||
        (access !== "read" && write?.covers(place, paths) === true),
    ),
  );
}

/** Whether a folder that the command names may contain something that the globs match. */
export function pathsMayDeny(read: Globs, write: Globs, { paths }: CallFacts): boolean {
  return paths.known.some(
    ({ access, region, listed }) =>
      region !== undefined &&
      !listed &&
      ((access !== "write" && read?.mayMeet(region, paths) === true) ||
        (access !== "read" && write?.mayMeet(region, paths, { brings: true }) === true)),
  );
}
