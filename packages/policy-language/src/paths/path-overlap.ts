import { foldName } from "./fold-name.ts";
import { ANY, type PathGlob, type PathSegment } from "./path-glob.ts";
import type { Place } from "./place.ts";

/** What is known about paths below a folder. */
export interface RegionNames {
  /** The names below the folder, as a glob gives them. Undefined: the folder and everything below it. */
  readonly names: readonly Segment[] | undefined;
  /** Only files whose names match one of these count. */
  readonly only?: readonly NameGlob[];
  /** Whether names with a leading dot are excluded. */
  readonly visible?: boolean;
}

/** A set of paths of which only the folder is known. */
export class Region implements RegionNames {
  /** The folder that contains the paths, in every form that it may have. */
  readonly folders: readonly Place[];
  readonly names: readonly Segment[] | undefined;
  readonly only: readonly NameGlob[];
  readonly visible: boolean;
  #patterns: readonly (readonly Segment[])[] | undefined = undefined;
  #folded: Region | undefined = undefined;

  constructor(folders: readonly Place[], { names, only = [], visible = false }: RegionNames) {
    this.folders = folders;
    this.names = names;
    this.only = only;
    this.visible = visible;
  }

  /** Whether only paths below the folder are meant, with a partly known name. */
  get isStrict(): boolean {
    const { names, only } = this;
    if (names !== undefined) return names.some((name) => name !== ANY);
    return only.length > 0 && only.every(({ prefix, suffix }) => prefix !== "" || suffix !== "");
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
    return isSame ? this : new Region(folders, { names, only, visible: this.visible });
  }
}

/** One segment of a command's glob: the text before and after its wildcards. */
interface NameGlob {
  readonly prefix: string;
  readonly suffix: string;
  /** The text of a segment without wildcards. */
  readonly literal: string | undefined;
  /** Whether it may match `.` or `..`: some shells match these if the wildcard follows a literal dot. */
  readonly climbs?: true;
}

/**
 * Parses a command's glob, without its folder. `*` matches text without a slash and `**` any folders. Any other
 * character, or one after a backslash, is literal.
 */
export function readNames(folder: string, pattern: string): readonly Segment[] {
  const above = folder === "." ? 0 : folder === "/" ? 1 : folder.split("/").length;
  const segments = pattern.split("/").slice(above);
  return segments
    .filter((segment) => segment !== "" && segment !== ".")
    .map((segment) => (segment === ANY ? ANY : readName(segment)));
}

/**
 * Parses the globs that limit a program to certain file names. Keeps only the last segment of each, and treats
 * everything that may vary as any text.
 */
export function readFilters(globs: readonly string[]): readonly NameGlob[] {
  return globs.flatMap(alternatives).map((glob) => {
    const name = glob.slice(glob.lastIndexOf("/") + 1).replace(/\{.*\}|\[[^[\]]+\]|\?/g, "*");
    // A nested class, or one that begins with a bracket, may end anywhere.
    return readName(/[[\]]/.test(name) ? "*" : name);
  });
}

// Expands one pair of braces. With several pairs, they match any text.
function alternatives(glob: string): readonly string[] {
  const [, before = "", list, after = ""] = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/.exec(glob) ?? [];
  return list === undefined ? [glob] : list.split(",").map((one) => before + one + after);
}

function readName(segment: string): NameGlob {
  const runs = [""];
  for (const [token] of segment.matchAll(/\\.|[^]/gu)) {
    if (token === "*") runs.push("");
    else
      runs.push(
        (runs.pop() ?? "") + token.slice(token.startsWith("\\") && token.length > 1 ? 1 : 0),
      );
  }
  const [prefix = ""] = runs;
  const climbs = runs.length > 1 && prefix.startsWith(".") && /^\.\.?$/.test(runs.join(""));
  return {
    prefix,
    suffix: runs.at(-1) ?? "",
    literal: runs.length === 1 ? prefix : undefined,
    ...(climbs ? { climbs } : {}),
  };
}

/** Whether a segment of a command's glob may match a name. May return true for a name that it does not match. */
export function mayFind({ prefix, suffix, literal: text }: NameGlob, name: string): boolean {
  if (text !== undefined) return name === text;
  return (
    name.startsWith(prefix) && name.endsWith(suffix) && (prefix !== "" || !name.startsWith("."))
  );
}

/** Like {@link mayFind}, for a search that also finds names with a leading dot and may ignore case. */
export function mayName({ prefix, suffix }: NameGlob, name: string): boolean {
  const lower = name.toLowerCase();
  return lower.startsWith(prefix.toLowerCase()) && lower.endsWith(suffix.toLowerCase());
}

function foldGlob(glob: NameGlob): NameGlob {
  const [prefix, suffix] = [foldName(glob.prefix), foldName(glob.suffix)];
  if (prefix === glob.prefix && suffix === glob.suffix) return glob;
  return { prefix, suffix, literal: glob.literal === undefined ? undefined : prefix };
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
  if (isAnywhere && only.some((filter) => asksFor(filter, segments.at(-1)))) return true;
  if (isAnywhere && names === undefined) return patterns.some((at) => leadsInto(at, segments));
  if (region.visible && isHidden(segments, base, region)) return false;
  if (names?.length !== 0) {
    if (endsApart(names ?? [ANY], segments)) return false;
    // `**/name` matches below any folder.
    if (isAnywhere && segments.length === 2 && base.segments.length === 0)
      return patterns.length > 0;
  }
  return patterns.some((pattern) => overlap(pattern, base.literals, segments));
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
// no particular file.
function asksFor(
  { prefix, suffix, literal: text }: NameGlob,
  last: PathSegment | undefined,
): boolean {
  if (last === undefined || last === ANY) return false;
  if (text !== undefined) return last.matches(text);
  if (prefix === "" && suffix === "") return false;
  if (last.literal === undefined) {
    if (prefix === "")
      return last.prefix === "" && last.suffix !== "" && suffix.endsWith(last.suffix);
    const [begins, ends] = [
      prefix.startsWith(last.prefix) || last.prefix.startsWith(prefix),
      suffix.endsWith(last.suffix),
    ];
    return begins && (ends || last.suffix.endsWith(suffix));
  }
  const finds =
    last.literal.length >= prefix.length + suffix.length &&
    last.literal.startsWith(prefix) &&
    last.literal.endsWith(suffix);
  return finds && (prefix !== "" || !suffix.startsWith(".") || last.literal === suffix);
}

/** One segment of a command's glob, or any number of folders. */
export type Segment = NameGlob | typeof ANY;

// Whether both end in names that differ.
function endsApart(given: readonly Segment[], rule: readonly Segment[]): boolean {
  const [one, other] = [given.at(-1), rule.at(-1)];
  if (one === undefined || one === ANY || other === undefined || other === ANY) return false;
  return !alike(one, other);
}

// Whether a pattern and a glob below its base folder have a path in common. Their common start is compared first,
// because most differ there.
function overlap(
  given: readonly Segment[],
  base: readonly NameGlob[],
  glob: readonly Segment[],
): boolean {
  for (let at = 0; at < base.length; at++) {
    const [one, name] = [given[at], base[at]];
    if (one === ANY) return overlapFrom(given.slice(at), [...base.slice(at), ...glob]);
    if (one === undefined || name === undefined || !alike(one, name)) return false;
  }
  let same = 0;
  for (; same < glob.length; same++) {
    const [one, other] = [given[base.length + same], glob[same]];
    if (one === undefined || one === ANY || other === undefined || other === ANY) break;
    if (!alike(one, other)) return false;
  }
  if (same === glob.length - 1 && glob[same] === ANY) return true;
  return overlapFrom(given.slice(base.length + same), glob.slice(same));
}

// The number of segments that a bit set can hold.
const MAX_SEGMENTS = 30;

// Bit n of `reach` is set if the first n segments of the rule match the segments read so far. A longer rule counts as matching.
function overlapFrom(given: readonly Segment[], rule: readonly Segment[]): boolean {
  if (rule.length > MAX_SEGMENTS) return true;
  const all = 2 ** (rule.length + 1) - 1;
  let reach = skipAny(1, rule);
  for (const segment of given) {
    let next = 0;
    // `**` may match everything from the lowest bit on.
    if (segment === ANY) next = -(reach & -reach) & all;
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

// `**` may match no segment at all.
function skipAny(reach: number, rule: readonly Segment[]): number {
  let found = reach;
  for (let at = 0; at < rule.length; at++)
    if (rule[at] === ANY && (found & (1 << at)) !== 0) found |= 2 << at;
  return found;
}

function alike(given: NameGlob, rule: NameGlob): boolean {
  if (given.literal !== undefined)
    return rule.literal === undefined ? fits(given.literal, rule) : given.literal === rule.literal;
  // A wildcard at the start of a name does not match a leading dot.
  if (given.literal === undefined && given.prefix === "" && rule.prefix.startsWith("."))
    return false;
  if (rule.literal !== undefined) return fits(rule.literal, given);
  return (
    (given.prefix.startsWith(rule.prefix) || rule.prefix.startsWith(given.prefix)) &&
    (given.suffix.endsWith(rule.suffix) || rule.suffix.endsWith(given.suffix))
  );
}

function fits(name: string, { prefix, suffix }: NameGlob): boolean {
  return (
    name.length >= prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix)
  );
}
