import type { FoundFiles, PathText, Word } from "../analysis.ts";
import { namedBelow, pathOf } from "./path-of-word.ts";
import { known, prefix } from "./word-text.ts";

/** Files that one program finds below a path and passes to another. */
export interface Finding extends FoundFiles {
  /** The text that every path begins with. */
  readonly lead: string;
  readonly path: PathText;
  /** Whether the files are below the path, and not the path itself. */
  readonly below: boolean;
  /** The name of each file matches one of these globs. */
  readonly only?: readonly string[];
  /** Globs for names that the search is about, even if the files may have other names. */
  readonly names?: readonly string[];
  /** Whether the search follows links. */
  readonly follows?: boolean;
}

/** A list of paths that a program prints. */
export interface Listing {
  readonly files: readonly Finding[];
  /** Whether a zero byte, and not a line break, ends each path. */
  readonly zero: boolean;
}

/** The files at or below the path that a word names. */
export function findingAt(
  word: Word,
  more: Omit<Finding, "lead" | "path" | "below"> & { readonly below?: boolean },
): Finding {
  return { below: true, ...more, lead: prefix(word), path: pathOf(word) };
}

const findings = new WeakMap<FoundFiles, Finding>();

/** The search that found the files of a word. */
export function findingOf(found: FoundFiles): Finding {
  const finding = findings.get(found);
  if (finding === undefined) throw new TypeError("These files come from no search");
  return finding;
}

const recursives = new WeakMap<FoundFiles, FoundFiles>();

/** The same files with everything below them. */
export function recursiveOf(found: FoundFiles): FoundFiles {
  const known = recursives.get(found);
  if (known !== undefined) return known;
  const { only, path, below } = findingOf(found);
  const spares = only !== undefined && below && !findsStart(only, path);
  const all: FoundFiles = { ...found, recursive: true, ...(spares && { names: only }) };
  recursives.set(found, all);
  return all;
}

/** A word for one found path, or for any number of them. */
function foundWord(
  finding: Finding,
  more: { readonly single: boolean; readonly optional?: true },
): Word {
  const { lead, links, splits, expands, tracked, changed, partial, ignores } = finding;
  const found: FoundFiles = {
    ...{ links, splits },
    ...(expands === undefined ? {} : { expands }),
    ...(tracked === undefined ? {} : { tracked }),
    ...(changed === undefined ? {} : { changed }),
    ...(partial === undefined ? {} : { partial }),
    ...(ignores === undefined ? {} : { ignores }),
  };
  findings.set(found, finding);
  return {
    text: undefined,
    pieces: lead === "" ? [{ hole: "any" }] : [lead, { hole: "any" }],
    ...more,
    found,
  };
}

/** Words for one or more found paths: a program may treat the first, the last and those between differently. */
export function severalFound(
  finding: Finding,
  more: { readonly optional?: true } = {},
): readonly Word[] {
  const word = foundWord(finding, { single: false, ...more });
  return [word, word, word];
}

/** Words as in {@link severalFound}, which are missing if no file is found. */
export const anyFound = (finding: Finding): readonly Word[] =>
  severalFound(finding, { optional: true });

/** A word for each of the found paths in turn. */
export const eachFound = (finding: Finding): readonly Word[] => [
  foundWord({ ...finding, splits: true }, { single: true }),
];

/** A word for a path that was found before, such as one in a variable. `more`: how the shell reads the word. */
export const foundAgain = (found: FoundFiles, more: Partial<FoundFiles>): Word =>
  foundWord({ ...findingOf(found), ...more }, { single: true });

/** A word in which each mark is replaced by a found path, or by any text. */
export function completeWord(word: Word, mark: string, finding: Finding | undefined): Word {
  const { text } = word;
  if (text === undefined || !text.includes(mark)) return word;
  const [head = "", tail = "", ...rest] = text.split(mark);
  if (finding !== undefined && head === "" && rest.length === 0) {
    if (tail === "") return foundWord(finding, { single: true });
    if (BELOW.test(tail)) return belowFound(finding, tail);
  }
  const pieces: Word["pieces"][number][] = [];
  for (const [at, part] of [head, tail, ...rest].entries()) {
    if (at > 0) pieces.push({ hole: "any" });
    if (part !== "") pieces.push(part);
  }
  return { text: undefined, pieces, single: true };
}

const BELOW = /^\/(?!\.\.?(\/|$))[\w@%+=:,.-]+$/;

// A file in a found folder, which may be a link.
function belowFound({ only: _, ...finding }: Finding, tail: string): Word {
  const word = foundWord({ ...finding, links: true, follows: true }, { single: true });
  return { ...word, pieces: [...word.pieces, tail] };
}

/** What is deleted below a folder, with everything inside, if only files of some names are found. Empty if that is the folder itself. */
export function deletedBelow(
  { only = [], below }: Finding,
  path: Start,
): readonly { readonly path: PathText; readonly only: readonly string[] }[] {
  const { text } = path;
  if (!below || text === undefined || findsStart(only, path)) return [];
  return only.map((name) => ({ path: namedBelow(text, name), only: [name] }));
}

type Start = PathText & { readonly pattern?: string };

// Whether a search may also find the folder that it starts at, by its own name.
function findsStart(only: readonly string[], { text, pattern }: Start): boolean {
  if (text === undefined || pattern !== undefined) return true;
  const start =
    text
      .replace(/(?!^)\/+$/, "")
      .split("/")
      .at(-1) ?? "";
  return start.startsWith("~") || only.some((glob) => mayMatch(glob, start));
}

/** Whether a glob is about a part of a name. Any name may have a part such as `e`, so that alone spares nothing that is deleted. */
export const isLoose = (glob: string): boolean => /^\*.*\*$/s.test(glob);

/** Whether a glob may match a name, in whatever case. One with other wildcards than `*` may match any. */
export function mayMatch(glob: string, name: string): boolean {
  if (/[?[\]{}\\]/.test(glob)) return true;
  const [head = "", ...rest] = glob.toLowerCase().split("*");
  const lower = name.toLowerCase();
  const tail = rest.pop();
  if (tail === undefined) return lower === head;
  const end = lower.length - tail.length;
  let at = head.length;
  if (at > end || !lower.startsWith(head) || !lower.endsWith(tail)) return false;
  return rest.every((text) => {
    const found = lower.indexOf(text, at);
    at = found + text.length;
    return found >= 0 && at <= end;
  });
}

/** The working directory. */
export const HERE = known(".");

/** Names that are printed without their folder. */
export const nameless = (finding: Finding): Finding =>
  finding.path.text === "." ? { ...finding, lead: "", splits: true } : finding;

export const findingsAt = (
  words: readonly Word[],
  more: Omit<Finding, "lead" | "path" | "below">,
): readonly Finding[] => words.map((word) => nameless(findingAt(word, more)));

/** A list that may leave out some files. */
export const some = ({ files, zero }: Listing): Listing => ({
  files: files.map((file) => ({ ...file, partial: true })),
  zero,
});
