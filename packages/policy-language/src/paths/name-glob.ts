import { foldName } from "./fold-name.ts";
import { ANY } from "./path-glob.ts";

/** One segment of a command's glob: the text before and after its wildcards. */
export interface NameGlob {
  readonly prefix: string;
  readonly suffix: string;
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
  const fits = (form: (text: string) => string): boolean =>
    form(name).startsWith(form(prefix)) && form(name).endsWith(form(suffix));
  // Some shells compose the characters of a name before they compare it.
  return fits((text) => text.toLowerCase()) || fits(foldName);
}

/** The glob with folded text: see {@link foldName}. */
export function foldGlob(glob: NameGlob): NameGlob {
  const [prefix, suffix] = [foldName(glob.prefix), foldName(glob.suffix)];
  if (prefix === glob.prefix && suffix === glob.suffix) return glob;
  return { prefix, suffix, literal: glob.literal === undefined ? undefined : prefix };
}
