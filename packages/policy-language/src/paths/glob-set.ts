import { overlapsRegion, type Region } from "./path-overlap.ts";
import { ANY, BASES, type Base, type PathGlob } from "./path-glob.ts";
import { ROOT, type Place } from "./place.ts";

/** The folders that globs are relative to. Undefined: not known, so that nothing lies in it. */
export type BaseFolders = { readonly [base in Exclude<Base, "root">]: Place | undefined };

/** What of a place a glob must match. */
interface CoverScope {
  readonly below?: boolean;
  readonly strictly?: boolean;
}

const EXACTLY = 0;
const BELOW = 1;
const STRICTLY_BELOW = 2;
type Scope = typeof EXACTLY | typeof BELOW | typeof STRICTLY_BELOW;

type Indexes = { readonly [base in Base]?: NameIndex };

/** The path globs of one rule, indexed by the names that they ask for. */
export class GlobSet {
  readonly globs: readonly PathGlob[];
  #exact: Indexes | undefined = undefined;
  #folded: Indexes | undefined = undefined;
  #changed: Indexes | undefined = undefined;

  constructor(globs: readonly PathGlob[]) {
    this.globs = globs;
  }

  /** Whether a glob matches a place; `below`: one that matches all that lies below it, `strictly`: but need not match the place itself. */
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

  // What does not change by folding needs no second look at globs that do not change either.
  #foldedOf(place: Place, folder: Place): Indexes {
    return place.folded === place && folder.folded === folder
      ? (this.#changed ??= indexesOf(
          this.globs.flatMap((glob) => (glob.folded === glob ? [] : (glob.folded ?? []))),
        ))
      : (this.#folded ??= indexesOf(this.globs.flatMap(({ folded }) => folded ?? [])));
  }

  /**
   * Whether a glob may match something in a region. `brings`: files of any name may appear there, so one for a hidden folder of the
   * workspace, such as `**\/.git/**`, is met by the workspace itself.
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

// Whether all that lies below the workspace is in a region.
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

/** Globs of one base by a name that is in every path that they match. */
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
