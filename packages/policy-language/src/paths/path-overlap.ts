import { fitsGlob, foldGlob, type NameGlob, type Segment } from "./name-glob.ts";
import { ANY, type PathGlob, type PathSegment } from "./path-glob.ts";
import type { Place } from "./place.ts";

/** What is known about paths below a folder. */
export interface RegionNames {
  /** The names below the folder, as a glob gives them. Undefined: the folder and everything below it. */
  readonly names: readonly Segment[] | undefined;
  /** Whether everything below the names is meant too. */
  readonly below?: boolean;
  /** Only files whose names match one of these count. */
  readonly only?: readonly NameGlob[];
  /** Whether names with a leading dot are excluded. */
  readonly visible?: boolean;
  /** Whether the host has looked for the files here that a deny is about. */
  readonly looked?: boolean;
  /** Whether the shell looks for the names, so that `**` stands for no name with a leading dot. */
  readonly globbed?: boolean;
}

/** A set of paths in a known folder. */
export class Region implements RegionNames {
  /** The folder that contains the paths, in every form that it may have. */
  readonly folders: readonly Place[];
  readonly names: readonly Segment[] | undefined;
  readonly below: boolean;
  readonly only: readonly NameGlob[];
  readonly visible: boolean;
  readonly globbed: boolean;
  readonly looked: boolean;
  #patterns: readonly (readonly Segment[])[] | undefined = undefined;
  #folded: Region | undefined = undefined;

  constructor(
    folders: readonly Place[],
    {
      names,
      below = false,
      only = [],
      visible = false,
      globbed = false,
      looked = false,
    }: RegionNames,
  ) {
    this.folders = folders;
    this.names = names;
    this.below = below;
    this.only = only;
    this.visible = visible;
    this.globbed = globbed;
    this.looked = looked;
  }

  /** Whether only paths below the folder are meant, with a partly known name. */
  get isStrict(): boolean {
    const { names, only } = this;
    if (names !== undefined) return names.some((name) => name !== ANY);
    return only.length > 0 && only.every(({ prefix, suffix }) => prefix !== "" || suffix !== "");
  }

  /** Whether the last of the names is partly known, so that not everything in a folder is meant. */
  get isNarrow(): boolean {
    const last = this.names?.at(-1);
    return last !== undefined && last !== ANY && (last.prefix !== "" || last.suffix !== "");
  }

  /** One pattern for each folder: the folder followed by the names. */
  get patterns(): readonly (readonly Segment[])[] {
    const { folders, names = [ANY] } = this;
    return (this.#patterns ??= folders.map(({ literals }) => [...literals, ...names]));
  }

  /** The region with folded names. This object if nothing changes. */
  get folded(): Region {
    return (this.#folded ??= this.#fold());
  }

  #fold(): Region {
    const folders = this.folders.map((folder) => folder.folded);
    const names = this.names?.map((name) => (name === ANY ? ANY : foldGlob(name)));
    const only = this.only.map(foldGlob);
    const isSame =
      folders.every((folder, at) => folder === this.folders[at]) &&
      (names ?? []).every((name, at) => name === this.names?.[at]) &&
      only.every((name, at) => name === this.only[at]);
    const { below, visible, globbed, looked } = this;
    return isSame ? this : new Region(folders, { names, below, only, visible, globbed, looked });
  }
}

/**
 * Whether a rule's glob, relative to `base`, may match some path of a region. A glob that begins with `**` names
 * files in every folder. It is compared with the names that a command's glob or file filter spells out, but not with
 * everything that the command may find.
 */
export function overlapsRegion(glob: PathGlob, base: Place, region: Region): boolean {
  const { names, only, patterns } = region;
  const { segments } = glob;
  const isAnywhere = segments[0] === ANY;
  if (isAnywhere && only.some((filter) => asksFor(filter, segments.at(-1), region))) return true;
  if (isAnywhere && names === undefined) return patterns.some((at) => leadsInto(at, segments));
  if (region.visible && isHidden(segments, base, region)) return false;
  if (region.below && !isAnywhere)
    return patterns.some((pattern) =>
      overlap([...pattern, ANY], base.literals, segments, { globbed: false }),
    );
  if (names?.length !== 0) {
    if (endsApart(names ?? [ANY], segments)) return false;
    // `**/name` matches below any folder.
    if (isAnywhere && segments.length === 2 && base.segments.length === 0)
      return patterns.length > 0;
  }
  return patterns.some((pattern) => overlap(pattern, base.literals, segments, region));
}

// Whether the folder of a region is the one that `**/a/b` names on its way.
function leadsInto(given: readonly Segment[], [, first, next]: readonly PathSegment[]): boolean {
  const folder = given.at(-2);
  return (
    next !== undefined &&
    first !== undefined &&
    first !== ANY &&
    first.literal !== undefined &&
    folder !== undefined &&
    folder !== ANY &&
    alike(folder, first)
  );
}

// Whether every match of a glob is below a hidden folder that is itself below every folder of the region.
function isHidden(segments: readonly PathSegment[], base: Place, { folders }: Region): boolean {
  const any = segments.indexOf(ANY);
  const last = segments
    .slice(0, any < 0 ? undefined : any)
    .findLastIndex((segment) => segment !== ANY && segment.prefix.startsWith("."));
  const depth = base.segments.length + last;
  return last >= 0 && folders.every((folder) => folder.segments.length <= depth);
}

// Whether a filter of file names asks for the name at the end of a glob. An ending alone, such as `*.json`, asks for
// no particular file. Where the host has looked, it only asks for names that all match the glob.
function asksFor(glob: NameGlob, last: PathSegment | undefined, { looked }: Region): boolean {
  const { prefix, suffix, inner, literal: text } = glob;
  if (last === undefined || last === ANY) return false;
  if (text !== undefined) return last.matches(text);
  if (prefix === "" && suffix === "" && inner === undefined) return false;
  if (last.literal === undefined) {
    if (looked || (prefix === "" && inner === undefined))
      return (
        (last.prefix !== "" || last.suffix !== "") &&
        prefix.startsWith(last.prefix) &&
        suffix.endsWith(last.suffix)
      );
    const [begins, ends] = [
      prefix.startsWith(last.prefix) || last.prefix.startsWith(prefix),
      suffix.endsWith(last.suffix),
    ];
    return begins && (ends || last.suffix.endsWith(suffix));
  }
  const isEnding = prefix === "" && inner === undefined && suffix.startsWith(".");
  return !looked && fitsGlob(last.literal, glob) && (!isEnding || last.literal === suffix);
}

// Whether both end in names that differ.
function endsApart(given: readonly Segment[], rule: readonly Segment[]): boolean {
  const [one, other] = [given.at(-1), rule.at(-1)];
  if (one === undefined || one === ANY || other === undefined || other === ANY) return false;
  return !alike(one, other);
}

type GlobOptions = Pick<Region, "globbed">;

// Whether a pattern and a glob below its base folder have a path in common. Their common start is compared first,
// because most differ there.
function overlap(
  given: readonly Segment[],
  base: readonly NameGlob[],
  glob: readonly Segment[],
  options: GlobOptions,
): boolean {
  for (let at = 0; at < base.length; at++) {
    const [one, name] = [given[at], base[at]];
    if (one === ANY) return overlapFrom(given.slice(at), [...base.slice(at), ...glob], options);
    if (one === undefined || name === undefined || !alike(one, name)) return false;
  }
  let same = 0;
  for (; same < glob.length; same++) {
    const [one, other] = [given[base.length + same], glob[same]];
    if (one === undefined || one === ANY || other === undefined || other === ANY) break;
    if (!alike(one, other)) return false;
  }
  if (same === glob.length - 1 && glob[same] === ANY) return true;
  return overlapFrom(given.slice(base.length + same), glob.slice(same), options);
}

// The number of segments that a bit set can hold.
const MAX_SEGMENTS = 30;

// Bit n of `reach` is set if the first n segments of the rule match the segments read so far. A longer rule counts as matching.
function overlapFrom(
  given: readonly Segment[],
  rule: readonly Segment[],
  { globbed }: GlobOptions,
): boolean {
  if (rule.length > MAX_SEGMENTS) return true;
  const all = 2 ** (rule.length + 1) - 1;
  let reach = skipAny(1, rule);
  for (const segment of given) {
    let next = 0;
    // `**` may match everything from the lowest bit on.
    if (segment === ANY) next = globbed ? passVisible(reach, rule) : -(reach & -reach) & all;
    else
      for (let at = 0; at < rule.length; at++) {
        const wanted = rule[at];
        if ((reach & (1 << at)) === 0 || wanted === undefined) continue;
        if (wanted === ANY) next |= 1 << at;
        else if (alike(segment, wanted)) next |= 2 << at;
      }
    reach = skipAny(next, rule);
    if (reach === 0) return false;
  }
  return (reach & (1 << rule.length)) !== 0;
}

// A shell's `**` stands for any names without a leading dot.
function passVisible(reach: number, rule: readonly Segment[]): number {
  let found = reach;
  for (const [at, wanted] of rule.entries())
    if ((found & (1 << at)) !== 0 && (wanted === ANY || !wanted.prefix.startsWith(".")))
      found |= 2 << at;
  return found;
}

// `**` may match no segment at all.
function skipAny(reach: number, rule: readonly Segment[]): number {
  let found = reach;
  for (let at = 0; at < rule.length; at++)
    if (rule[at] === ANY && (found & (1 << at)) !== 0) found |= 2 << at;
  return found;
}

function alike(given: NameGlob, rule: NameGlob): boolean {
  if (given.literal !== undefined)
    return rule.literal === undefined
      ? fitsGlob(given.literal, rule)
      : given.literal === rule.literal;
  // A wildcard at the start of a name does not match a leading dot.
  if (given.literal === undefined && given.prefix === "" && rule.prefix.startsWith("."))
    return false;
  if (rule.literal !== undefined) return fitsGlob(rule.literal, given);
  return (
    (given.prefix.startsWith(rule.prefix) || rule.prefix.startsWith(given.prefix)) &&
    (given.suffix.endsWith(rule.suffix) || rule.suffix.endsWith(given.suffix))
  );
}
