import { foldName, foldPath } from "./fold.ts";
import { ANY, type PathGlob, type PathSegment } from "./path-glob.ts";

/** Places of which only the folder is known. */
export interface Region {
  /** The folder below which they lie, and every text that it may be besides: absolute, in segments. */
  readonly folders: readonly (readonly string[])[];
  /** The names below the folder, where a glob says them; undefined: all that lies below it, the folder included. */
  readonly names: readonly Segment[] | undefined;
  /** Below the folder only files with such names count. */
  readonly only?: readonly NameGlob[];
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
  return segments.filter((segment) => segment !== "" && segment !== ".").map((segment) => (segment === ANY ? ANY : readName(segment)));
}

/** Reads the globs of file names that a program takes: of each the last segment, with any text for what stands for several. */
export function readFilters(globs: readonly string[]): readonly NameGlob[] {
  return globs.flatMap(alternatives).map((glob) => readName(glob.slice(glob.lastIndexOf("/") + 1).replace(/\{.*\}|\[[^\]]*\]|\?/g, "*")));
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
    else runs.push((runs.pop() ?? "") + token.slice(token.startsWith("\\") && token.length > 1 ? 1 : 0));
  }
  const [prefix = ""] = runs;
  const climbs = runs.length > 1 && prefix.startsWith(".") && /^\.\.?$/.test(runs.join(""));
  return { prefix, suffix: runs.at(-1) ?? "", literal: runs.length === 1 ? prefix : undefined, ...(climbs ? { climbs } : {}) };
}

/** Whether a name could be one that a segment of a command's glob finds. It may say so of one that it does not find. */
export function mayFind({ prefix, suffix, literal: text }: NameGlob, name: string): boolean {
  if (text !== undefined) return name === text;
  return name.startsWith(prefix) && name.endsWith(suffix) && (prefix !== "" || !name.startsWith("."));
}

const foldGlob = ({ prefix, suffix, literal: text }: NameGlob): NameGlob => ({
  prefix: foldName(prefix),
  suffix: foldName(suffix),
  literal: text === undefined ? undefined : foldName(text),
});

/** The region on a file system that does not tell case apart. */
export function foldRegion({ folders, names, only }: Region): Region {
  return {
    folders: folders.map(foldPath),
    names: names?.map((name) => (name === ANY ? ANY : foldGlob(name))),
    ...(only === undefined ? {} : { only: only.map(foldGlob) }),
  };
}

/**
 * Whether some place of a region may match a glob of a rule, whose base folder is given. A glob that begins with `**` names files of
 * every folder: it meets what a command's glob or file filter spells out, but not all that a command may find on its way down.
 */
export function meets(glob: PathGlob, base: readonly string[], { folders, names, only }: Region): boolean {
  if (only !== undefined && glob.segments[0] === ANY && only.some((filter) => asksFor(filter, glob.segments.at(-1)))) return true;
  if (names === undefined && glob.segments[0] === ANY) return false;
  const rule: readonly Segment[] = [...base.map(literal), ...glob.segments.map((segment) => (segment === ANY ? ANY : nameOf(segment)))];
  const rest: readonly Segment[] = names ?? [ANY];
  return folders.some((folder) => overlap([...folder.map(literal), ...rest], rule));
}

// Whether a filter of file names is for those that a glob ends with. By an ending such as `*.json` alone nobody asks for one of them.
function asksFor({ prefix, suffix, literal: text }: NameGlob, last: PathSegment | undefined): boolean {
  if (last === undefined || last === ANY) return false;
  const wanted = nameOf(last);
  if (text !== undefined) return last.matches(text);
  if (prefix === "" && suffix === "") return false;
  if (wanted.literal === undefined) {
    if (prefix === "") return wanted.prefix === "" && wanted.suffix !== "" && suffix.endsWith(wanted.suffix);
    const [begins, ends] = [prefix.startsWith(wanted.prefix) || wanted.prefix.startsWith(prefix), suffix.endsWith(wanted.suffix)];
    return begins && (ends || wanted.suffix.endsWith(suffix));
  }
  const finds =
    wanted.literal.length >= prefix.length + suffix.length && wanted.literal.startsWith(prefix) && wanted.literal.endsWith(suffix);
  return finds && (prefix !== "" || !suffix.startsWith(".") || wanted.literal === suffix);
}

/** One segment of a command's glob, or any number of folders. */
export type Segment = NameGlob | typeof ANY;

const literal = (text: string): NameGlob => ({ prefix: text, suffix: text, literal: text });
const nameOf = ({ prefix, suffix, literal: text }: Exclude<PathSegment, typeof ANY>): NameGlob => ({ prefix, suffix, literal: text });

// Whether two lists of segments have a path in common. `reach[j]`: the first j segments of the rule fit what came before.
function overlap(given: readonly Segment[], rule: readonly Segment[]): boolean {
  let reach = close(rule.map((_, at) => at === 0).concat(rule.length === 0), rule);
  for (const segment of given) {
    const next = rule.map(() => false).concat(false);
    for (let at = 0; at <= rule.length; at++) {
      if (reach[at] !== true) continue;
      const wanted = rule[at];
      if (segment === ANY) for (let end = at; end <= rule.length; end++) next[end] = true;
      else if (wanted === ANY) next[at] = true;
      else if (wanted !== undefined && alike(segment, wanted)) next[at + 1] = true;
    }
    reach = close(next, rule);
    if (!reach.includes(true)) return false;
  }
  return reach[rule.length] === true;
}

// `**` may stand for no segment at all.
function close(reach: boolean[], rule: readonly Segment[]): boolean[] {
  for (let at = 0; at < rule.length; at++) if (reach[at] === true && rule[at] === ANY) reach[at + 1] = true;
  return reach;
}

function alike(given: NameGlob, rule: NameGlob): boolean {
  if (given.literal !== undefined && rule.literal !== undefined) return given.literal === rule.literal;
  // A wildcard at the start of a name finds no name that starts with a dot.
  if (given.literal === undefined && given.prefix === "" && rule.prefix.startsWith(".")) return false;
  return (
    (given.prefix.startsWith(rule.prefix) || rule.prefix.startsWith(given.prefix)) &&
    (given.suffix.endsWith(rule.suffix) || rule.suffix.endsWith(given.suffix))
  );
}
