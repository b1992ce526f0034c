import { alignAny, alignKnown, type Certainty } from "./operand-match.ts";
import type { Glob } from "./glob.ts";
import { compileOptionMatch, firstWordsOfOptions } from "./option-match.ts";
import { cut, LONG, type CommandWords, type SortedWords } from "./sorted-words.ts";

/**
 * Compiles the words after the program of a pattern that matches by meaning: by the form of options, or as the
 * program itself reads them.
 */
export function compileWordMatch(
  words: readonly string[],
  globs: readonly Glob[],
  { program, open }: { readonly program: string | undefined; readonly open: boolean },
): (command: CommandWords, from: number) => Certainty {
  const byLook = compileLook(words, globs, { open });
  const bySense =
    program === undefined || words.length === 0
      ? undefined
      : compileOptionMatch(program, words, { open });
  if (bySense === undefined) return byLook;
  return (command, from) => {
    const certainty = byLook(command, from);
    if (certainty === 2) return certainty;
    const sense = bySense(command.words, from);
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
): (command: CommandWords, from: number) => Certainty {
  const operands = operandsOf(words, globs);
  const end = words.indexOf("--");
  const flags = globs.flatMap((glob, at) =>
    isFlag(words, at, end)
      ? [{ word: words[at] ?? "", glob: glob.literal === undefined ? glob : undefined }]
      : [],
  );
  if (open && flags.length === 0 && operands.length === 0) return () => 2;
  return (command, from) => {
    const given = command.sortedFrom(from);
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

function present(word: string, glob: Glob | undefined, given: SortedWords): boolean {
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
