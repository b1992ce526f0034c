import type { Glob } from "../match/glob.ts";
import type { NameGlob } from "./name-glob.ts";
import { overlapsRegion, type Region } from "./path-overlap.ts";
import { ANY, BASES, type Base, type PathGlob } from "./path-glob.ts";
import { ROOT, type Place } from "./place.ts";

/** The folders that globs are relative to. Undefined if a folder is unknown; then nothing lies in it. */
export type BaseFolders = { readonly [base in Exclude<Base, "root">]: Place | undefined };

/** Which part of a path a glob must match: the path itself, or everything below it. */
interface CoverScope {
  readonly below?: boolean;
  readonly strictly?: boolean;
}

const EXACTLY = 0;
const BELOW = 1;
const STRICTLY_BELOW = 2;
type Scope = typeof EXACTLY | typeof BELOW | typeof STRICTLY_BELOW;

type Indexes = { readonly [base in Base]?: NameIndex };

/** The path globs of one rule, compiled on first use, and indexed by the names that they require. */
export class GlobSet {
  readonly #compile: () => readonly PathGlob[];
  #globs: readonly PathGlob[] | undefined = undefined;
  #exact: Indexes | undefined = undefined;
  #folded: Indexes | undefined = undefined;
  #changed: Indexes | undefined = undefined;

  constructor(compile: () => readonly PathGlob[]) {
    this.#compile = compile;
  }

  get globs(): readonly PathGlob[] {
    return (this.#globs ??= this.#compile());
  }

  /**
   * Whether some glob matches a path. `below`: it must match everything below the path. `strictly`: then it need not
   * match the path itself.
   */
  covers(
    place: Place,
    folders: BaseFolders,
    { below = false, strictly = false }: CoverScope = {},
  ): boolean {
    const exact = (this.#exact ??= indexesOf(this.globs));
    const scope = !below ? EXACTLY : strictly ? STRICTLY_BELOW : BELOW;
    return BASES.some((base) => {
      const folder = base === "root" ? ROOT : folders[base];
      if (folder === undefined) return false;
      return (
        exact[base]?.matchesIn(place, folder, scope) === true ||
        this.#foldedOf(place, folder)[base]?.matchesIn(place.folded, folder.folded, scope) === true
      );
    });
  }

  /**
   * Whether globs such as `./**\/*.pyc` match all that a search with file filters finds below one of its folders, or one of the files
   * that it finds.
   */
  coversNames(place: Place, region: Region, folders: BaseFolders): boolean {
    const last = region.names?.at(-1);
    const filters =
      region.names === undefined ? region.only : last === undefined || last === ANY ? [] : [last];
    if (filters.length === 0) return false;
    if (!region.folders.includes(place)) return this.covers(place, folders, region);
    return filters.every((filter) =>
      this.globs.some(({ base, segments }) => {
        const folder = base === "root" ? ROOT : folders[base];
        const [any, name, all] = segments;
        return (
          folder !== undefined &&
          place.isBelow(folder) &&
          segments.length === (region.below ? 3 : 2) &&
          (all ?? ANY) === ANY &&
          any === ANY &&
          name !== ANY &&
          name !== undefined &&
          coversFilter(name, filter)
        );
      }),
    );
  }

  // If folding does not change the path, only the globs that it changes must be tried again.
  #foldedOf(place: Place, folder: Place): Indexes {
    return place.folded === place && folder.folded === folder
      ? (this.#changed ??= indexesOf(
          this.globs.flatMap((glob) => (glob.folded === glob ? [] : (glob.folded ?? []))),
        ))
      : (this.#folded ??= indexesOf(this.globs.flatMap(({ folded }) => folded ?? [])));
  }

  /**
   * Whether some glob may match something in a region. `brings`: the call may create files of any name there. Then a
   * glob for a hidden folder, such as `**\/.git/**`, may match if the region contains the whole workspace.
   */
  mayMeet(region: Region, folders: BaseFolders, { brings = false } = {}): boolean {
    const { folded } = region;
    const isFilled = brings && isWhole(region, folders.workspace);
    return this.globs.some((glob) => {
      if (isFilled && isOfHiddenFolder(glob)) return true;
      const folder = glob.base === "root" ? ROOT : folders[glob.base];
      if (folder === undefined) return false;
      if (overlapsRegion(glob, folder, region)) return true;
      if (glob.folded === undefined) return false;
      const isSame = glob.folded === glob && folded === region && folder.folded === folder;
      return !isSame && overlapsRegion(glob.folded, folder.folded, folded);
    });
  }
}

// Whether a name of a rule, with at most one `*`, matches all names that a filter finds.
function coversFilter(name: Glob, { prefix, suffix, literal }: NameGlob): boolean {
  if (literal !== undefined) return name.matches(literal);
  return (
    /^[^*?[\]]*\*[^*?[\]]*$/.test(name.source) &&
    prefix.startsWith(name.prefix) &&
    suffix.endsWith(name.suffix)
  );
}

// Whether a region contains everything below the workspace.
function isWhole({ names, only, visible, folders }: Region, workspace: Place | undefined): boolean {
  return (
    names === undefined &&
    only.length === 0 &&
    !visible &&
    folders.some((folder) => workspace?.isBelow(folder))
  );
}

function isOfHiddenFolder({ segments }: PathGlob): boolean {
  const [any, first, ...rest] = segments;
  return any === ANY && first !== ANY && first?.prefix.startsWith(".") === true && rest.length > 0;
}

function indexesOf(globs: readonly PathGlob[]): Indexes {
  const indexes: { [base in Base]?: NameIndex } = {};
  for (const glob of globs) (indexes[glob.base] ??= new NameIndex()).add(glob);
  return indexes;
}

/** The globs of one base, indexed by a name that every match contains. */
class NameIndex {
  readonly #byLast = new Map<string, PathGlob[]>();
  readonly #byName = new Map<string, PathGlob[]>();
  readonly #others: PathGlob[] = [];

  add(glob: PathGlob): void {
    const { segments } = glob;
    const last = segments.at(-1);
    const name = segments.findLast((segment) => segment !== ANY && segment.literal !== undefined);
    if (name === undefined || name === ANY || name.literal === undefined) this.#others.push(glob);
    else push(name === last ? this.#byLast : this.#byName, name.literal, glob);
  }

  matchesIn(place: Place, folder: Place, scope: Scope): boolean {
    if (!place.isBelow(folder)) return false;
    const from = folder.segments.length;
    const names = from === 0 ? place.segments : place.segments.slice(from);
    if (someMatch(this.#others, names, scope)) return true;
    if (scope === EXACTLY && someMatch(this.#byLast.get(names.at(-1) ?? ""), names, scope))
      return true;
    return (
      this.#byName.size > 0 &&
      names.some((name, at) => {
        const globs = this.#byName.get(name);
        return globs !== undefined && names.indexOf(name) === at && someMatch(globs, names, scope);
      })
    );
  }
}

function someMatch(
  globs: readonly PathGlob[] | undefined,
  names: readonly string[],
  scope: Scope,
): boolean {
  if (globs === undefined) return false;
  if (scope === EXACTLY) return globs.some((glob) => glob.matches(names));
  return globs.some(
    (glob) =>
      glob.segments.at(-1) === ANY &&
      (glob.matches(names) || (scope === STRICTLY_BELOW && glob.matchesAbove(names))),
  );
}

function push(map: Map<string, PathGlob[]>, name: string, glob: PathGlob): void {
  const list = map.get(name);
  if (list === undefined) map.set(name, [glob]);
  else list.push(glob);
}
