import { baseName } from "./command.ts";
import { PatternError, quote } from "./finding.ts";
import { compileGlob, expand, type Glob } from "./glob.ts";

/** A compiled word pattern over the words of one simple command. */
export interface WordPattern {
  /** The program's name, where it is written out; else any program may match. */
  readonly program: string | undefined;
  /** Covers only what is written: the bare name or a system folder, the words in order. */
  allows(argv: readonly string[], risky: readonly number[]): boolean;
  /** Whether a word has the base name of the pattern's program. */
  names(word: string): boolean;
  /** Matches by meaning, from the word at `from` on: base name, flags in any order and form. */
  denies(argv: readonly string[], from: number): boolean;
}

const SYSTEM_FOLDERS: ReadonlySet<string> = new Set(["/bin/", "/usr/bin/", "/usr/local/bin/"]);

/** Short letters of long options that many programs share; `R` and `r` are one where they mean to recurse. */
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

/** Compiles the alternatives of one word pattern. Throws {@link PatternError}. */
export function compileWords(source: string): readonly WordPattern[] {
  if (source.trim() === "") throw new PatternError("Unexpected empty command pattern, expected words");
  return expand(source).map((pattern) => compileOne(pattern, source));
}

function compileOne(pattern: string, source: string): WordPattern {
  const words = pattern.split(/[ \t]+/).filter((word) => word !== "");
  const open = words.length > 1 && words.at(-1) === "*";
  if (open) words.pop();
  const [first = "", ...rest] = words;
  if (/["'`$;&|<>()#]/.test(pattern)) {
    throw new PatternError(
      `Unexpected shell syntax in the command pattern ${quote(source)}, expected plain words`,
      "write one pattern for each simple command, without quotes, variables and operators",
    );
  }
  const program = compileGlob(first);
  const globs = rest.map(compileGlob);
  const meaning = meaningOf(rest, globs);
  const base = program.literal === undefined ? undefined : baseName(program.literal);
  if (base === "") throw new PatternError(`Unexpected folder for a program in ${quote(source)}, expected its name`);
  // Whoever writes a path means that file for an allow, and that name for a deny.
  const baseGlob = base === undefined ? program : compileGlob(first.slice(first.lastIndexOf("/") + 1));
  return {
    program: base,
    allows(argv, risky) {
      if (open ? argv.length < words.length : argv.length !== words.length) return false;
      if (!allowsProgram(program, argv[0] ?? "")) return false;
      for (const [at, glob] of globs.entries()) if (!glob.matches(argv[at + 1] ?? "")) return false;
      return risky.every((at) => globs[at - 1]?.literal !== undefined);
    },
    names: (word) => baseGlob.matches(baseName(word)),
    denies: (argv, from) => baseGlob.matches(baseName(argv[from] ?? "")) && meaning(argv, from + 1, open),
  };
}

/** The bare name of a program in a system folder; any other text as it is. */
export function bareName(program: string): string {
  const base = baseName(program);
  return SYSTEM_FOLDERS.has(program.slice(0, program.length - base.length)) ? base : program;
}

function allowsProgram(glob: Glob, program: string): boolean {
  return glob.matches(program) || (!glob.source.includes("/") && glob.matches(bareName(program)) && !/^\.{0,2}\//.test(bareName(program)));
}

function meaningOf(words: readonly string[], globs: readonly Glob[]): (argv: readonly string[], from: number, open: boolean) => boolean {
  const flags: { readonly word: string; readonly glob: Glob | undefined }[] = [];
  const operands: Glob[] = [];
  let ended = false;
  for (const [at, word] of words.entries()) {
    const glob = globs[at];
    if (glob === undefined) continue;
    if (word === "--" && !ended) ended = true;
    else if (!ended && /^-./.test(word)) flags.push({ word, glob: glob.literal === undefined ? glob : undefined });
    else operands.push(glob);
  }
  return (argv, from, open) => {
    const given = sort(argv, from);
    if (!flags.every(({ word, glob }) => present(word, glob, given))) return false;
    if (!open && given.flags.length > 0 && flags.length === 0) return false;
    return align(operands, given, open);
  };
}

interface Given {
  readonly flags: readonly string[];
  /** The letters of all short options. */
  readonly letters: string;
  /** `after`: it follows an option, so it may be its value. */
  readonly operands: readonly { readonly text: string; readonly after: boolean }[];
}

function sort(argv: readonly string[], from: number): Given {
  const flags: string[] = [];
  let letters = "";
  const operands: { text: string; after: boolean }[] = [];
  let ended = false;
  for (let at = from; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (ended || word === "-" || !word.startsWith("-")) {
      const before = argv[at - 1] ?? "";
      operands.push({ text: word, after: !ended && at > from && before.startsWith("-") && !before.includes("=") });
    } else if (word === "--") ended = true;
    else {
      flags.push(word);
      if (!word.startsWith("--")) letters += word.slice(1);
    }
  }
  return { flags, letters, operands };
}

function present(word: string, glob: Glob | undefined, { flags, letters }: Given): boolean {
  if (glob !== undefined) return flags.some((flag) => glob.matches(flag));
  if (flags.includes(word)) return true;
  if (word.startsWith("--")) {
    const [name, value] = cut(word.slice(2));
    const letter = value === undefined && Object.hasOwn(LONG, name) ? LONG[name] : undefined;
    if (letter !== undefined && hasLetter(letters, letter)) return true;
    return flags.some((flag) => {
      if (!flag.startsWith("--")) return false;
      const [given, with_] = cut(flag.slice(2));
      // Programs take any unambiguous beginning of a long option.
      const named = given === name || (given.length > 1 && name.startsWith(given));
      return named && (value === undefined || value === with_);
    });
  }
  return Array.from(word.slice(1)).every(
    (letter) =>
      hasLetter(letters, letter) ||
      flags.some((flag) => {
        if (!flag.startsWith("--")) return false;
        const [given] = cut(flag.slice(2));
        return given.length > 1 && Object.entries(LONG).some(([long, short]) => short === letter && long.startsWith(given));
      }),
  );
}

function hasLetter(letters: string, letter: string): boolean {
  return letters.includes(letter) || (letter === "r" && letters.includes("R")) || (letter === "R" && letters.includes("r"));
}

function cut(option: string): readonly [string, string?] {
  const at = option.indexOf("=");
  return at < 0 ? [option] : [option.slice(0, at), option.slice(at + 1)];
}

// The pattern's operands, in order, are the first operands of the command; what may be the value of an option is skipped.
function align(operands: readonly Glob[], { operands: given }: Given, open: boolean): boolean {
  const reach = (p: number, g: number): boolean => {
    let at = g;
    for (let i = p; i < operands.length; i++) {
      const glob = operands[i];
      while (at < given.length && glob?.matches(given[at]?.text ?? "") !== true && given[at]?.after === true) at++;
      if (at >= given.length || glob?.matches(given[at]?.text ?? "") !== true) return false;
      at++;
    }
    return open || given.slice(at).every(({ after }) => after);
  };
  return reach(0, 0);
}
