import type { Word } from "@bylaw/shell";
import { alignAny, alignKnown, type Certainty, type Operand } from "./operand-match.ts";
import type { Glob } from "./glob.ts";
import { compileOptionMatch, firstWordsOfOptions } from "./option-match.ts";

/** Short forms of long options that many programs share. `R` and `r` are the same where both mean recursion. */
const LONG: Readonly<Record<string, string>> = {
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

/**
 * Compiles the words after the program of a pattern that matches by meaning: by the form of options, or as the
 * program itself reads them.
 */
export function compileWordMatch(
  words: readonly string[],
  globs: readonly Glob[],
  { program, open }: { readonly program: string | undefined; readonly open: boolean },
): (given: readonly Word[], from: number) => Certainty {
  const byLook = compileLook(words, globs, { open });
  const bySense =
    program === undefined || words.length === 0
      ? undefined
      : compileOptionMatch(program, words, { open });
  if (bySense === undefined) return byLook;
  return (argv, from) => {
    const certainty = byLook(argv, from);
    if (certainty === 2) return certainty;
    const sense = bySense(argv, from);
    return sense > certainty ? sense : certainty;
  };
}

/**
 * Words of which every command that the pattern matches contains at least one: all names of the pattern's first
 * operand. Undefined if that operand is not literal.
 */
export function firstWords(
  words: readonly string[],
  globs: readonly Glob[],
  { program }: { readonly program: string | undefined },
): readonly string[] | undefined {
  const first = operandsOf(words, globs)[0]?.literal;
  if (first === undefined) return undefined;
  const meant = program === undefined ? [] : firstWordsOfOptions(program, words);
  return meant === undefined ? undefined : [first, ...meant];
}

// The globs of the words that are not options. The first `--` is neither.
function operandsOf(words: readonly string[], globs: readonly Glob[]): readonly Glob[] {
  const end = words.indexOf("--");
  return globs.filter((_, at) => at !== end && !isFlag(words, at, end));
}

function isFlag(words: readonly string[], at: number, end: number): boolean {
  return (end < 0 || at < end) && /^-./.test(words[at] ?? "");
}

function compileLook(
  words: readonly string[],
  globs: readonly Glob[],
  { open }: { readonly open: boolean },
): (given: readonly Word[], from: number) => Certainty {
  const operands = operandsOf(words, globs);
  const end = words.indexOf("--");
  const flags = globs.flatMap((glob, at) =>
    isFlag(words, at, end)
      ? [{ word: words[at] ?? "", glob: glob.literal === undefined ? glob : undefined }]
      : [],
  );
  if (open && flags.length === 0 && operands.length === 0) return () => 2;
  return (argv, from) => {
    const given = sorted(argv, from);
    let certainty: Certainty = 2;
    for (const { word, glob } of flags) {
      if (present(word, glob, given)) continue;
      if (!given.options) return 0;
      certainty = 1;
    }
    if (!open && given.flags.length > 0 && flags.length === 0) return 0;
    if (!open && given.options) certainty = 1;
    if (alignKnown(operands, given.operands, open)) return certainty;
    return given.doubtful && alignAny(operands, given.operands, open) ? 1 : 0;
  };
}

interface Given {
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

// Rules about one program ask about the same words one after the other.
let last:
  | { readonly argv: readonly Word[]; readonly from: number; readonly given: Given }
  | undefined;

function sorted(argv: readonly Word[], from: number): Given {
  if (last?.argv !== argv || last.from !== from) last = { argv, from, given: sort(argv, from) };
  return last.given;
}

function sort(argv: readonly Word[], from: number): Given {
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

function lettersOf(long: Given["long"]): string {
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

function present(word: string, glob: Glob | undefined, given: Given): boolean {
  const { flags, letters, long, longLetters } = given;
  if (glob !== undefined) return flags.some((flag) => glob.matches(flag));
  if (flags.includes(word)) return true;
  if (word.startsWith("--")) {
    const [name, value] = cut(word.slice(2));
    const letter = value === undefined && Object.hasOwn(LONG, name) ? LONG[name] : undefined;
    if (letter !== undefined && hasLetter(letters, letter)) return true;
    // Programs accept any unambiguous prefix of a long option.
    return long.some(
      ([start, with_]) =>
        (start === name || (start.length > 1 && name.startsWith(start))) &&
        (value === undefined || value === with_),
    );
  }
  return Array.from(word.slice(1)).every(
    (letter) => hasLetter(letters, letter) || longLetters.includes(letter),
  );
}

function hasLetter(letters: string, letter: string): boolean {
  return (
    letters.includes(letter) ||
    (letter === "r" && letters.includes("R")) ||
    (letter === "R" && letters.includes("r"))
  );
}

function cut(option: string): readonly [string, string?] {
  const at = option.indexOf("=");
  return at < 0 ? [option] : [option.slice(0, at), option.slice(at + 1)];
}
