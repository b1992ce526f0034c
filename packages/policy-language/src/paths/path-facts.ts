import type { ToolCall } from "@bylaw/kernel";
import { absolutePath, isOneWord, otherName, segmentsOf, unknownPath } from "./path-text.ts";
import { collectPathRefs } from "./collect-path-refs.ts";
import { homeOf, isRecursive, workspaceOf } from "./call-folders.ts";
import { hasFound } from "./name-glob.ts";
import { Region, type RegionNames } from "./path-overlap.ts";
import { insidesOf, samplesOf } from "./sample-paths.ts";
import type { Access, CollectedPathRefs, FoundRef, PathRef, PathSource } from "./path-refs.ts";
import { isProcAlias, Place, staysOneWord, trimmed } from "./place.ts";
import { hasLooked, isUnlinked, saysYes, stampOf, type Stamp } from "./stamp.ts";

/** One path that a call names. */
export interface PathFact {
  readonly access: Access;
  /** The places of what the command runs, or loads as code. */
  readonly runs: readonly Place[];
  /** Every path that it may be: as written, and with links resolved. Empty for a guessed one. */
  readonly places: readonly Place[];
  /** Further paths that only a deny considers, such as its path if the workspace itself is behind a link. For a guessed one: all paths. */
  readonly aliases: readonly Place[];
  /** `places` and `aliases` together. */
  readonly all: readonly Place[];
  /** Those of `all` that are meant themselves, and not only as the folder of some names. */
  readonly named: readonly Place[];
  /** Those of `all` that only may be meant. */
  readonly maybe: readonly Place[];
  /** What an allow may cover instead of `places`: the files of a list, or all that a glob finds now and a name that it could find. */
  readonly cover: readonly Place[] | undefined;
  /** Set if the call means something below the places. */
  readonly region: Region | undefined;
  /** Whether `aliases` contain everything that the region's glob finds now, so that it means nothing else. */
  readonly listed: boolean;
  /** How many of the first places are folders of which only the contents are meant. */
  readonly folders: number;
  /** Whether the command follows links below the path, so that an allow cannot cover it. */
  readonly follows: boolean;
  /** Whether git ignores it now, with everything below it. */
  readonly ignored: boolean;
  /** Whether it is on another machine or in a container. Then all of its places are in `region`, and no allow covers it. */
  readonly remote: boolean;
}

/** The paths that a call names, as far as they are known. */
export interface PathFacts {
  readonly known: readonly PathFact[];
  /** How many of them have a region. */
  readonly regions: number;
  /** How many paths their globs find through links. */
  readonly found: number;
  /** Why at least one path is unknown. Such a call is never allowed. */
  readonly unknown: string | undefined;
  /** Whether some path has a second reading that only a lax tool would choose. Such a call is never allowed. */
  readonly doubtful: boolean;
  readonly from: CollectedPathRefs["from"];
  /** Whether the call includes everything below its paths. */
  readonly recursive: boolean;
  readonly workspace: Place | undefined;
  readonly home: Place | undefined;
}

// An escape of a character that needs none.
const HIDDEN = /%(?:25)*(?:2[d-f]|3\d|4[1-9a-f]|5[\dacf]|6[1-9a-f]|7[\dae])/i;

export function pathFacts(facts: PathSource): PathFacts {
  const { call, pathsFact } = facts;
  const { wanted, from, unknown } = collectPathRefs(facts);
  const reader = new PathReader(call, stampOf(call, pathsFact), { byTool: from !== "shell" });
  const known = wanted.flatMap((ref) => reader.read(ref) ?? []);
  return {
    known,
    regions: known.filter(({ region }) => region !== undefined).length,
    found: reader.found,
    unknown: unknown ?? reader.unknown,
    doubtful: reader.doubtful,
    from,
    recursive: from === "table" && isRecursive(facts),
    workspace: workspaceOf(call),
    home: homeOf(call),
  };
}

/** Reads the paths of one call, and collects what is unknown about them. */
class PathReader {
  readonly #call: ToolCall;
  readonly #stamp: Stamp | undefined;
  readonly #byTool: boolean;
  /** The first reason why a path is unknown. */
  unknown: string | undefined = undefined;
  /** See {@link PathFacts.doubtful}. */
  doubtful = false;
  /** See {@link PathFacts.found}. */
  found = 0;

  constructor(call: ToolCall, stamp: Stamp | undefined, { byTool }: { readonly byTool: boolean }) {
    this.#call = call;
    this.#stamp = stamp;
    this.#byTool = byTool;
  }

  /** Reads one path. Undefined if it cannot be read, or if what it needs is not there. */
  read(ref: PathRef): PathFact | undefined {
    const { text, access, guessed = false, region, pattern, remote = false, found, needs } = ref;
    const follows = ref.follows === true && !isUnlinked(this.#stamp, ref);
    if (needs !== undefined && saysYes(this.#stamp, String(text), needs)) return undefined;
    const why =
      unknownPath(text, this.#call) ??
      (this.#byTool && !guessed && typeof text === "string" ? otherName(text) : undefined);
    if (why !== undefined || typeof text !== "string") {
      if (!guessed && !remote) this.unknown ??= why;
      return undefined;
    }
    const absolute = absolutePath(text, this.#call);
    const written = placeOf(absolute);
    if (remote) {
      const far = new Region([written], { names: region === undefined ? [] : region.names });
      return { ...NOWHERE, access, region: far, follows, remote };
    }
    const places = [written];
    const aliases: Place[] = [];
    this.#addReal(text, absolute, { guessed, places, aliases });
    if (this.#byTool) this.#addTrimmed(text, { guessed, places, aliases });
    if (ref.deletesBelow === true) aliases.push(...this.#lostWith(places));
    const all = [...places, ...aliases];
    const looked = hasLooked(this.#stamp, ref);
    const within = region && new Region(all, { ...region, looked });
    if (guessed)
      return {
        ...{ ...NOWHERE, access, aliases: all, all, named: all },
        ...{ region: within, runs: ref.executes === true ? places : NONE, follows, remote },
      };
    const folders = within?.isStrict === true ? places.length : 0;
    // Outside the workspace the folder of a few names counts too.
    const isInside = this.#isInside(places);
    if (pattern !== undefined) this.#addFound(pattern, { places, aliases });
    const [matches, hidden] = [this.#matchesFor(ref, places), this.#hiddenFrom(ref)];
    if (matches !== undefined) {
      aliases.push(...matches, ...hidden);
      if (region?.below === true) aliases.push(...this.#lostWith(matches));
    }
    const start = places.length;
    const maybe =
      found === undefined ? hidden : this.#addListed(found, absolute, { places, aliases });
    if (places.some(isProcAlias)) this.unknown ??= "a path through /proc";
    const both = places.length + aliases.length === all.length ? all : [...places, ...aliases];
    const unnamed = within?.isNarrow === true && isInside ? [...maybe, ...all] : maybe;
    const named = unnamed.length === 0 ? both : both.filter((place) => !unnamed.includes(place));
    const samples = region?.globbed === true ? samplesOf(all, region.names) : undefined;
    const listed = this.#isListed(ref, matches);
    const files = listed && found !== undefined ? places.slice(start) : NONE;
    const other = this.#insideOf(ref, all) ?? (samples && matches?.concat(hidden, samples));
    const cover = files.length > 0 ? files : other;
    return {
      ...{ access, places, aliases, all: both, named, maybe, cover, folders },
      ...{ runs: ref.executes === true ? places : NONE, follows, remote },
      ignored: ref.ignoredKey !== undefined && this.#stamp?.globs.has(ref.ignoredKey) === true,
      region: matches && region?.below === true ? wholeOf(matches, region) : within,
      listed,
    };
  }

  // What may lie in a folder, if the host has looked for files there that a deny is about.
  #insideOf(ref: PathRef, folders: readonly Place[]): readonly Place[] | undefined {
    if (ref.region?.names !== undefined || !hasLooked(this.#stamp, ref)) return undefined;
    return insidesOf(folders);
  }

  // Whether the host has listed everything that the call touches here. If a read finds nothing of such a name, the folder may be one that
  // the host does not see, so names still count.
  #isListed({ region, found, exact, follows, access }: PathRef, matches: Matches): boolean {
    if (found === undefined) return matches !== undefined && region?.below !== true;
    const files = this.#stamp?.globs.get(found.key);
    if (found.denied || exact !== true || follows === true || files === undefined) return false;
    return (
      access === "write" || region?.names === undefined || hasFound(region.names, files.flat())
    );
  }

  // What the shell finds for a glob only with an option set.
  #hiddenFrom({ region, pattern = "" }: PathRef): readonly Place[] {
    const hidden = region?.globbed === true ? this.#stamp?.hidden.get(pattern) : undefined;
    return hidden?.flat().map(placeOf) ?? NONE;
  }

  #matchesFor({ namesOf, region, pattern, splits }: PathRef, places: readonly Place[]): Matches {
    if (namesOf !== undefined) return this.#copiesOf(namesOf, places);
    if (region?.globbed !== true || pattern === undefined) return undefined;
    // What lies below a hidden folder is not looked for.
    if (region.below && this.#stamp?.hidden.has(pattern) === true) return undefined;
    const matches = this.#matchesOf(pattern);
    if (splits === true && matches?.every(staysOneWord) !== true)
      this.unknown ??= "names that the shell may split into several words";
    return matches;
  }

  // Adds the real path, as the host resolved it.
  #addReal(text: string, absolute: string, { guessed, places, aliases }: Guessed & Places): void {
    const stamp = this.#stamp?.paths?.get(text);
    if (stamp === undefined) return;
    const [real, ...others] = stamp;
    if (real === undefined) {
      if (!guessed) this.unknown ??= "a path that cannot be resolved";
    } else if (real !== absolute && !isSamePath(places[0], real)) places.push(placeOf(real));
    for (const other of others) aliases.push(placeOf(other));
  }

  // The workspace and the home folder, if a folder that holds them is deleted.
  #lostWith(places: readonly Place[]): readonly Place[] {
    return [workspaceOf(this.#call), homeOf(this.#call)].filter(
      (kept) => kept && places.some((place) => kept.folded.isBelow(place.folded)),
    ) as readonly Place[];
  }

  #addTrimmed(text: string, { guessed, places, aliases }: Guessed & Places): void {
    if (!guessed) this.doubtful ||= HIDDEN.test(text);
    for (const place of [...places, ...aliases]) {
      const other = trimmed(place);
      if (other !== undefined) aliases.push(new Place(other));
    }
  }

  #isInside(places: readonly Place[]): boolean {
    const workspace = workspaceOf(this.#call);
    return places.every((place) => workspace !== undefined && place.isBelow(workspace));
  }

  // Adds the files that another program would find now. Returns those that it may leave out.
  #addListed(
    { key, written, splits, expands, partial, denied }: FoundRef,
    absolute: string,
    { places, aliases }: Places,
  ): readonly Place[] {
    if (
      splits &&
      (this.#stamp === undefined ||
        !isOneWord(written.startsWith("~") ? absolute : written, expands))
    )
      this.unknown ??= "names that are read from a list, and may be split or read as options";
    const from = [places.length, aliases.length] as const;
    if (!denied || this.#stamp?.globs.has(key) === true) this.#addFound(key, { places, aliases });
    else if (this.#stamp?.unread.has(key) === true)
      this.unknown ??= "a folder with too many files to look for those that a rule denies";
    return partial ? [...places.slice(from[0]), ...aliases.slice(from[1])] : NONE;
  }

  // Everything that the shell finds for a glob now. Undefined if these are not all known.
  #matchesOf(pattern: string): readonly Place[] | undefined {
    const matches = this.#stamp?.matches.get(pattern);
    this.found += matches?.length ?? 0;
    return matches?.flat().map(placeOf);
  }

  // The names of everything that the shell finds for a glob, in other folders.
  #copiesOf(pattern: string, folders: readonly Place[]): readonly Place[] | undefined {
    if (this.#stamp?.hidden.has(pattern) === true) return undefined;
    return this.#matchesOf(pattern)?.flatMap(({ segments }) =>
      folders.map((folder) => new Place([...folder.segments, ...segments.slice(-1)])),
    );
  }

  // Adds the paths that a glob finds through links. All others are below its folder.
  #addFound(pattern: string, { places, aliases }: Places): void {
    if (this.#stamp === undefined) return;
    const found = this.#stamp.globs.get(pattern);
    if (found === undefined)
      this.unknown ??= "a glob whose folders cannot be read, are huge or hold links";
    else this.found += found.length;
    for (const [at, ...others] of found ?? []) {
      if (at !== undefined) places.push(placeOf(at));
      for (const other of others) aliases.push(placeOf(other));
    }
  }
}

type Matches = readonly Place[] | undefined;

// As if each of them were written, with everything below it.
const wholeOf = (matches: readonly Place[], { visible = false }: RegionNames): Region =>
  new Region(matches, { names: undefined, visible });

const NONE: readonly Place[] = [];
const NOWHERE = {
  ...{ places: [], aliases: [], all: [], named: [], maybe: [] },
  ...{ cover: undefined, listed: false, folders: 0, ignored: false, runs: [] },
} as const;

interface Guessed {
  readonly guessed: boolean;
}

interface Places {
  readonly places: Place[];
  readonly aliases: Place[];
}

const placeOf = (path: string): Place => new Place(segmentsOf(path));

// Most paths contain no link, so the real path is the same.
const isSamePath = (place: Place | undefined, real: string): boolean =>
  place?.segments.join("/") === segmentsOf(real).join("/");
