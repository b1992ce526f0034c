import { ANY } from "./path-glob.ts";
import type { RegionNames } from "./path-overlap.ts";
import { Place } from "./place.ts";

// No file is likely to have this name, and no class of a glob spells it out.
const SOME_NAME = "\uE000";

/** Paths that a glob could find. A path glob that matches them matches whatever the wildcards find. Undefined if there may be others. */
export function samplesOf(
  folders: readonly Place[],
  names: RegionNames["names"],
): readonly Place[] | undefined {
  if (names === undefined || names.some((name) => name === ANY || name.climbs === true))
    return undefined;
  const sample = names.flatMap((name) =>
    name === ANY ? [] : (name.literal ?? `${name.prefix}${SOME_NAME}${name.suffix}`),
  );
  return folders.map(({ segments }) => new Place([...segments, ...sample]));
}

/** Paths that may lie in folders. A path glob that matches them and all below matches whatever the folders contain. */
export const insidesOf = (folders: readonly Place[]): readonly Place[] =>
  folders.flatMap(({ segments }) =>
    [SOME_NAME, `.${SOME_NAME}`].map((name) => new Place([...segments, name])),
  );
