import type { FoundFiles, PathText, Word } from "../analysis.ts";
import { pathOf } from "./path-of-word.ts";
import { prefix } from "./word-text.ts";

/** Files that one program finds below a place and hands to another. */
export interface Finding extends FoundFiles {
  /** The text that every path begins with. */
  readonly lead: string;
  readonly path: PathText;
  /** Set where they lie below the path, and are not the path itself. */
  readonly below: boolean;
  /** Globs, one of which the name of each file matches. */
  readonly only?: readonly string[];
  /** Globs of names that the search is about, certain or not. */
  readonly names?: readonly string[];
  /** The search follows links. */
  readonly follows?: boolean;
}

/** A list of paths that a program prints. */
export interface Listing {
  readonly files: readonly Finding[];
  /** A zero byte ends each path, and no line break. */
  readonly zero: boolean;
}

/** Files at or below the place that a word names. */
export function findingAt(
  word: Word,
  more: Omit<Finding, "lead" | "path" | "below"> & { readonly below?: boolean },
): Finding {
  return { below: true, ...more, lead: prefix(word), path: pathOf(word) };
}

const findings = new WeakMap<FoundFiles, Finding>();

/** What is known of the files of a word. */
export function findingOf(found: FoundFiles): Finding {
  const finding = findings.get(found);
  if (finding === undefined) throw new TypeError("These files come from no search");
  return finding;
}

/** The word that stands for one found path, or for any number of them. */
function foundWord(finding: Finding, { single }: { readonly single: boolean }): Word {
  const { lead, links, splits } = finding;
  const found: FoundFiles = { links, splits };
  findings.set(found, finding);
  return {
    text: undefined,
    pieces: lead === "" ? [{ hole: "any" }] : [lead, { hole: "any" }],
    single,
    found,
  };
}

/** The words that stand for any number of found paths. The first, the last and those between may each mean something else. */
export function severalFound(finding: Finding): readonly Word[] {
  const word = foundWord(finding, { single: false });
  return [word, word, word];
}

/** A word in which a mark stands for a found path, or for any text. */
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

// A file in a folder that was found.
function belowFound({ only: _, ...finding }: Finding, tail: string): Word {
  const word = foundWord({ ...finding, links: true }, { single: true });
  return { ...word, pieces: [...word.pieces, tail] };
}
