import { foldName } from "./fold-name.ts";
import { ANY, type PathGlob, type PathSegment } from "./path-glob.ts";
import type { Place } from "./place.ts";

/** What is known of places below a folder. */
export interface RegionNames {
  /** The names below the folder, where a glob says them; undefined: all that lies below it, the folder included. */
  readonly names: readonly Segment[] | undefined;
  /** Below the folder only files with such names count. */
  readonly only?: readonly NameGlob[];
  /** What starts with a dot below the folder is left out. */
  readonly visible?: boolean;
}

/** Places of which only the folder is known. */
export class Region implements RegionNames {
  /** The folder below which they lie, and every text that it may be besides. */
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

  /** It means only what lies below its folder, under a name that is partly known. */
  get isStrict(): boolean {
    const { names, only } = this;
    if (names !== undefined) return names.some((name) => name !== ANY);
    return only.length > 0 && only.every(({ prefix, suffix }) => prefix !== "" || suffix !== "");
  }

  /** Each folder with the names below it, as one pattern. */
  get patterns(): readonly (readonly Segment[])[] {
    const { folders, names = [ANY] } = this;
    return (this.#patterns ??= folders.map(({ literals }) => [...literals, ...names]));
  }

  /** The region on a file system that does not tell case apart; this very object where nothing changes. */
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

/** One segment of a glob in a command, with what stands around its wildcards. */
interface NameGlob {
  readonly prefix: string;
  readonly suffix: string;
  /** Set where it has no wildcard. */
  readonly literal: string | undefined;
  /** It may stand for `.` or `..`: some shells find these by a wildcard after a written dot. */
  readonly climbs?: true;
}

/** Reads a glob of a command below its folder: `*` for text without a slash, `**` for folders, any other character by itself or after a backslash. */
export function readNames(folder: string, pattern: string): readonly Segment[] {
  const above = folder === "." ? 0 : folder === "/" ? 1 : folder.split("/").length;
  const segments = pattern.split("/").slice(above);
  return segments
    .filter((segment) => segment !== "" && segment !== ".")
    .map((segment) => (segment === ANY ? ANY : readName(segment)));
}

/** Reads the globs of file names that a program takes: of each the last segment, with any text for what stands for several. */
export function readFilters(globs: readonly string[]): readonly NameGlob[] {
  return globs.flatMap(alternatives).map((glob) => {
    const name = glob.slice(glob.lastIndexOf("/") + 1).replace(/\{.*\}|\[[^[\]]+\]|\?/g, "*");
    // A class in a class, or one that begins with a bracket, may end anywhere.
    return readName(/[[\]]/.test(name) ? "*" : name);
  });
}

// One pair of braces is spread out; more of them are any text.
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

/** Whether a name could be one that a segment of a command's glob finds. It may say so of one that it does not find. */
export function mayFind({ prefix, suffix, literal: text }: NameGlob, name: string): boolean {
  if (text !== undefined) return name === text;
  return (
    name.startsWith(prefix) && name.endsWith(suffix) && (prefix !== "" || !name.startsWith("."))
  );
}

/** The same for a search that finds names with a leading dot, too, and may ignore case. */
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
 * Whether some place of a region may match a glob of a rule, whose base folder is given. A glob that begins with `**` names files of
 * every folder: it meets what a command's glob or file filter spells out, but not all that a command may find on its way down.
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
    // `**/name`: whatever lies above.
    if (isAnywhere && segments.length === 2 && base.segments.length === 0)
      return patterns.length > 0;
  }
  return patterns.some((pattern) => overlap(pattern, base.literals, segments));
}

// Whether a folder is one that `**/a/b` names on its way.
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

// Whether a glob only matches what lies below a name with a dot, which every folder of the region is above.
function isHidden(segments: readonly PathSegment[], base: Place, { folders }: Region): boolean {
  const any = segments.indexOf(ANY);
  const last = segments
    .slice(0, any < 0 ? undefined : any)
    .findLastIndex((segment) => segment !== ANY && segment.prefix.startsWith("."));
  const depth = base.segments.length + last;
  return last >= 0 && folders.every((folder) => folder.segments.length <= depth);
}

// Whether a filter of file names is for those that a glob ends with. By an ending such as `*.json` alone nobody asks for one of them.
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

// Both lists say what a path ends with, and no name is both.
function endsApart(given: readonly Segment[], rule: readonly Segment[]): boolean {
  const [one, other] = [given.at(-1), rule.at(-1)];
  if (one === undefined || one === ANY || other === undefined || other === ANY) return false;
  return !alike(one, other);
}

// Whether a pattern and a glob below its base folder have a path in common. What both begin with is compared first: most differ there.
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

// As many as a set of bits has room for.
const MAX_SEGMENTS = 30;

// Bit n of `reach`: the first n segments of the rule fit what came before. A rule of more segments may fit anything.
function overlapFrom(given: readonly Segment[], rule: readonly Segment[]): boolean {
  if (rule.length > MAX_SEGMENTS) return true;
  const all = 2 ** (rule.length + 1) - 1;
  let reach = skipAny(1, rule);
  for (const segment of given) {
    let next = 0;
    // Whatever follows the first of them.
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

// `**` may stand for no segment at all.
function skipAny(reach: number, rule: readonly Segment[]): number {
  let found = reach;
  for (let at = 0; at < rule.length; at++)
    if (rule[at] === ANY && (found & (1 << at)) !== 0) found |= 2 << at;
  return found;
}

function alike(given: NameGlob, rule: NameGlob): boolean {
  if (given.literal !== undefined)
    return rule.literal === undefined ? fits(given.literal, rule) : given.literal === rule.literal;
  // A wildcard at the start of a name finds no name that starts with a dot.
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
