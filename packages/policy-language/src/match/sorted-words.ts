import type { Word } from "@bylaw/shell";
import type { Operand } from "./operand-match.ts";

/** Short forms of long options that many programs share. `R` and `r` are the same where both mean recursion. */
export const LONG: Readonly<Record<string, string>> = {
  recursive: "r",
  force: "f",
  all: "a",
  interactive: "i",
  verbose: "v",
  quiet: "q",
  delete: "d",
  help: "h",
  output: "o",
  file: "f",
};

/** The short form by each start of a long option that is accepted for it. No two of {@link LONG} begin with the same two letters. */
const LETTER_OF_START: ReadonlyMap<string, string> = new Map(
  Object.entries(LONG).flatMap(([name, letter]) =>
    Array.from(name.slice(1), (_, at) => [name.slice(0, at + 2), letter] as const),
  ),
);

/** The words of a command from a position on, sorted into options and operands. */
export interface SortedWords {
  readonly flags: readonly string[];
  /** The letters of all short options, joined. */
  readonly letters: string;
  /** The names and values of the long options. */
  readonly long: readonly (readonly [name: string, value?: string])[];
  /** The letters of short options that the long options may mean, joined. */
  readonly longLetters: string;
  readonly operands: readonly Operand[];
  /** Whether some operand is unknown. */
  readonly doubtful: boolean;
  /** Whether some word may be any option. */
  readonly options: boolean;
}

/** The words of a command. They are sorted once, because rules about one program ask about the same words one after the other. */
export interface CommandWords {
  readonly words: readonly Word[];
  sortedFrom(from: number): SortedWords;
}

/** Sorts the words from a position on. */
export function sortWords(argv: readonly Word[], from: number): SortedWords {
  const flags: string[] = [];
  let letters = "";
  const operands: Operand[] = [];
  let doubtful = false;
  let options = false;
  let ended = false;
  for (let at = from; at < argv.length; at++) {
    const word = argv[at];
    if (word === undefined) continue;
    const { single } = word;
    const text = single ? word.text : undefined;
    const [first] = word.pieces;
    const start = text ?? (typeof first === "string" ? first : "");
    const option = !ended && start.startsWith("-") && start !== "-";
    if (text === undefined) doubtful = true;
    if (option && text !== undefined) {
      if (text === "--") ended = true;
      else {
        flags.push(text);
        if (!text.startsWith("--")) letters += text.slice(1);
      }
      continue;
    }
    // The names that a glob finds all begin alike. Any other word that may be several can contain any kind of word.
    const names = word.pieces.every((piece) => typeof piece === "string" || piece.hole === "name");
    const anything =
      text === undefined &&
      word.found === undefined &&
      word.operand !== true &&
      (start === "" || start.startsWith("-") || (!single && !names));
    if (anything && !ended) options = true;
    const loose = text === undefined && (!single || (anything && !ended));
    if (option) {
      if (!start.startsWith("--"))
        for (const piece of word.pieces)
          if (typeof piece === "string") letters += piece.replace(/^-/, "");
      flags.push(start);
    }
    operands.push({ text, word, after: !ended && at > from && followsOption(argv[at - 1]), loose });
  }
  const long = flags.filter((flag) => flag.startsWith("--")).map((flag) => cut(flag.slice(2)));
  return { flags, letters, long, longLetters: lettersOf(long), operands, doubtful, options };
}

function lettersOf(long: SortedWords["long"]): string {
  let letters = "";
  for (const [name] of long) {
    const letter = LETTER_OF_START.get(name) ?? "";
    if (!letters.includes(letter)) letters += letter;
  }
  return letters;
}

function followsOption(word: Word | undefined): boolean {
  const [first] = word?.pieces ?? [];
  const start = word?.text ?? (typeof first === "string" ? first : "");
  return start.startsWith("-") && !start.includes("=");
}

/** Splits a long option at its first `=`. */
export function cut(option: string): readonly [string, string?] {
  const at = option.indexOf("=");
  return at < 0 ? [option] : [option.slice(0, at), option.slice(at + 1)];
}
