import { foldName } from "./fold-name.ts";
import { ANY } from "./path-glob.ts";

/** One segment of a command's glob: the texts before, between and after its wildcards. */
export interface NameGlob {
  readonly prefix: string;
  readonly suffix: string;
  /** The texts between the wildcards, in their order. */
  readonly inner?: readonly string[];
  /** The text of a segment without wildcards. */
  readonly literal: string | undefined;
  /** Whether it may match `.` or `..`: some shells match these if the wildcard follows a literal dot. */
  readonly climbs?: true;
}

/** One segment of a command's glob, or any number of folders. */
export type Segment = NameGlob | typeof ANY;

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
  return globs.flatMap(alternatives).flatMap((glob) => {
    const name = glob.slice(glob.lastIndexOf("/") + 1).replace(/\[[^[\]]+\]|\?/g, "*");
    // A nested class, or one that begins with a bracket, may end anywhere. A glob that ends in a slash is about folders.
    if (name === "" || /[[\]]/.test(name)) return [readName("*")];
    // Braces behind a backslash are no alternatives, so the name may be another.
    return name.includes("\\") ? [readName(name), readName("*")] : [readName(name)];
  });
}

// Expands one pair of braces, which are text to some programs. Several pairs match any text.
function alternatives(glob: string): readonly string[] {
  const [, before = "", list, after = ""] = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/.exec(glob) ?? [];
  if (list === undefined) return [glob.replace(/\{[^]*\}/, "*")];
  return [glob, ...list.split(",").map((one) => before + one + after)];
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
  const inner = runs.slice(1, -1).filter((text) => text !== "");
  return {
    prefix,
    suffix: runs.at(-1) ?? "",
    ...(inner.length > 0 ? { inner } : {}),
    literal: runs.length === 1 ? prefix : undefined,
    ...(climbs ? { climbs } : {}),
  };
}

/** Whether a name has the texts of a glob in their order, without overlap. */
export function fitsGlob(
  name: string,
  { prefix, suffix, inner = [], literal: text }: NameGlob,
): boolean {
  if (text !== undefined) return name === text;
  const end = name.length - suffix.length;
  let at = prefix.length;
  if (at > end || !name.startsWith(prefix) || !name.endsWith(suffix)) return false;
  for (const text of inner) {
    const found = name.indexOf(text, at);
    at = found + text.length;
    if (found < 0 || at > end) return false;
  }
  return true;
}

/** Whether a segment of a command's glob may match a name. Also true if that is not certain. */
export const mayFind = (glob: NameGlob, name: string): boolean =>
  fitsGlob(name, glob) && (glob.prefix !== "" || !name.startsWith("."));

/** Like {@link mayFind}, for a search that also finds names with a leading dot and may ignore case. */
export const mayName = (glob: NameGlob, name: string): boolean =>
  fitsGlob(
    name.toLowerCase(),
    withTexts(glob, (text) => text.toLowerCase()),
  ) ||
  // Some shells compose the characters of a name before they compare it.
  fitsGlob(foldName(name), foldGlob(glob));

/** Whether a search found what it is for: a file, and one of that name if the name has no wildcards. */
export function hasFound(names: readonly Segment[], paths: readonly string[]): boolean {
  const last = names.at(-1) ?? ANY;
  if (last === ANY || last.literal === undefined) return paths.length > 0;
  return paths.some((path) => mayName(last, path.slice(path.lastIndexOf("/") + 1)));
}

/** The glob with folded text: see {@link foldName}. */
export const foldGlob = (glob: NameGlob): NameGlob => withTexts(glob, foldName);

// Most globs are in lower case already, and stay the same object.
function withTexts(glob: NameGlob, form: (text: string) => string): NameGlob {
  const [prefix, suffix] = [form(glob.prefix), form(glob.suffix)];
  const inner = glob.inner?.map(form);
  const isSame =
    prefix === glob.prefix &&
    suffix === glob.suffix &&
    inner?.every((text, at) => text === glob.inner?.[at]) !== false;
  if (isSame) return glob;
  const literal = glob.literal === undefined ? undefined : prefix;
  return { prefix, suffix, ...(inner === undefined ? {} : { inner }), literal };
}
