import {
  flagPositions,
  isNamedOption,
  printsAnyWords,
  operandAfterOptions,
  otherPrograms,
  type Hazard,
  type Word,
} from "@bylaw/shell";
import type { Certainty } from "./operand-match.ts";
import { PatternError, quote } from "../load/finding.ts";
import { compileGlob, expand, withoutEscapes, type Glob } from "./glob.ts";
import { compileCover, type Cover } from "./word-cover.ts";
import type { CommandWords } from "./sorted-words.ts";
import { compileWordMatch, firstWords } from "./word-match.ts";
import { baseName, bareName } from "../compile/program-name.ts";

/** A key to find the commands that a word pattern could match. */
export interface ProgramKey {
  /** The name of the program. Undefined if the pattern may match any program. */
  readonly program: string | undefined;
  /** See {@link firstWords}. */
  firstWords(): readonly string[] | undefined;
}

/** A compiled word pattern, which matches the words of one simple command. */
export interface WordPattern extends ProgramKey {
  /** The pattern as written, without its other alternatives. */
  readonly text: string;
  /** Matches only what is written: the bare name or a system folder, the words in order, and each hazard spelled out. */
  allows(words: readonly Word[], hazards: readonly Hazard[]): boolean;
  /** Whether the base name of a word is the pattern's program. */
  names(word: string): boolean;
  /** Matches by meaning the words after the one at `from`, which `names` accepts: flags in any order and form. */
  denies(command: CommandWords, from: number): Certainty;
}

/** Compiles the alternatives of one word pattern, for an allow or for a stricter rule. Throws {@link PatternError}. */
export function compileWords(
  source: string,
  { allow }: { readonly allow: boolean },
): readonly WordPattern[] {
  if (source.trim() === "") throw new PatternError("The command pattern is empty");
  return expand(source).flatMap((pattern) => {
    const words = pattern.match(WORD) ?? [];
    const written = compileOne([...words], source);
    // An allow covers only the program as written. A deny covers all names of the program.
    if (allow || written.program === undefined) return [written];
    const others = otherPrograms([written.program, ...words.slice(1)]);
    return [written, ...others.map((other) => compileOne([...other], source))];
  });
}

// A backslash makes the next character a part of the word, also a blank or shell syntax.
const WORD = /(?:\\[^]|[^ \t\\]|\\$)+/g;

/** Programs whose operands are URLs, with or without a scheme. */
export const OPENS_URLS: ReadonlySet<string> = new Set(
  "curl wget http https xh curlie httpie aria2c".split(" "),
);

function compileOne(words: string[], source: string): WordPattern {
  const open = words.length > 1 && words.at(-1) === "*";
  if (open) words.pop();
  const [first = "", ...rest] = words;
  if (words.some((word) => /["'`$;&|<>()#]/.test(withoutEscapes(word)))) {
    throw new PatternError(
      `The command pattern ${quote(source)} has shell syntax. Write plain words`,
      "Write one pattern for each simple command. Put a backslash before a character that is part of a word",
    );
  }
  const program = compileGlob(first);
  const globs = rest.map(compileGlob);
  const plain = globs.map(plainText);
  const base = program.literal === undefined ? undefined : baseName(program.literal);
  const url = base !== undefined && OPENS_URLS.has(base);
  if (base === "") throw new PatternError(`${quote(source)} names a folder instead of a program`);
  let meaning: ReturnType<typeof compileWordMatch> | undefined;
  // A path in a pattern means that very file for an allow, but any program of that name for a deny.
  const means = base === undefined ? matchesFolded(program, first) : isFolded(base);
  return {
    text: open ? [...words, "*"].join(" ") : words.join(" "),
    program: base,
    allows: compileAllow(program, globs, { base, open, url }),
    names: (word) => means(baseName(word)),
    firstWords: () => firstWords(plain, globs, { program: base }),
    denies(command, from) {
      meaning ??= compileWordMatch(plain, globs, { program: base, open });
      return meaning(command, from + 1);
    },
  };
}

// On file systems that ignore case, `RM` runs `rm`.
function isFolded(base: string): (name: string) => boolean {
  const folded = base.toLowerCase();
  return (name) => name === base || name.toLowerCase() === folded;
}

function matchesFolded(program: Glob, source: string): (name: string) => boolean {
  let folded: Glob | undefined;
  return (name) =>
    program.matches(name) ||
    (folded ??= compileGlob(baseName(source).toLowerCase())).matches(name.toLowerCase());
}

/** The source of a glob, without backslashes if it matches only one text. */
const plainText = ({ literal, source }: Glob): string => literal ?? source;

interface PatternShape {
  readonly base: string | undefined;
  readonly open: boolean;
  readonly url: boolean;
}

function compileAllow(
  program: Glob,
  globs: readonly Glob[],
  { base, open, url }: PatternShape,
): WordPattern["allows"] {
  const covers = globs.map((glob) => compileCover(glob, { url }));
  const coversProgram = compileCover(program, { url: false });
  const bySubcommand = globs[0]?.literal?.startsWith("-") === false;
  const ends = globs.findLastIndex(({ literal }) => !/^--?\w/.test(literal ?? "")) + 1;
  const flags = open ? globs.slice(ends).map(plainText) : [];
  return (words, hazards) => {
    if (allowsInOrder(words, hazards)) return true;
    if (flags.length === 0 || base === undefined) return false;
    const other = withFlagsAt(ends + 1, flags, { program: base, words, hazards });
    return other !== undefined && allowsInOrder(other.words, other.hazards);
  };

  function allowsInOrder(given: readonly Word[], hazards: readonly Hazard[]): boolean {
    const name = given[0]?.text;
    if (name === undefined || !allowsProgram(program, coversProgram, name)) return false;
    const from = open && bySubcommand ? skipOptions(base, given, hazards) : 1;
    const count = given.length - from;
    if (open ? count < globs.length : count !== globs.length) return false;
    const covered = globs.every(
      (glob, at) =>
        coversWord(glob, covers[at], given[at + from]) ||
        (open && at === globs.length - 1 && coversNames(glob, given[at + from])),
    );
    if (!covered) return false;
    // The words that the pattern names come first. The number of further words does not matter.
    if (!coversOpen(given)) return false;
    return hazards.every((one) => spellsOut(one.at === 0 ? program : globs[one.at - from], one));
  }
}

interface Given {
  readonly words: readonly Word[];
  readonly hazards: readonly Hazard[];
}

/** A command with some options moved to a position, if the program accepts them anywhere, without a value. */
function withFlagsAt(
  start: number,
  flags: readonly string[],
  { program, words, hazards }: Given & { readonly program: string },
): Given | undefined {
  if (!flags.every((flag) => words.some(({ text }) => text === flag))) return undefined;
  const positions = flagPositions(program, words);
  const moved = flags.map((flag) => positions.get(flag) ?? 0);
  if (moved.includes(0)) return undefined;
  const others = [...words.keys()].filter((at) => !moved.includes(at));
  const order = [...others.slice(0, start), ...moved, ...others.slice(start)];
  return {
    words: order.flatMap((at) => words[at] ?? []),
    hazards: hazards.map((one) => ({ ...one, at: order.indexOf(one.at) })),
  };
}

// Stands for any one operand, even one that makes the program write, such as the name of a new branch.
const OPERAND = "[!-]*";

// A pattern for an option with any value, which may be the path of what the program writes.
const OPTION_VALUE = /^--[\w-]+=\*$/;

const spellsOut = (glob: Glob | undefined, { does }: Hazard): boolean =>
  glob?.literal !== undefined ||
  (does === "write" && (glob?.source === OPERAND || OPTION_VALUE.test(glob?.source ?? "")));

function coversWord(glob: Glob, covers: Cover | undefined, word: Word | undefined): boolean {
  if (word?.single !== true) return false;
  return word.text === undefined ? glob.any : covers?.(word.text) === true;
}

// Whether a word such as `[!-]*` or `src/*` covers every name that the shell finds for a glob, because all begin alike.
function coversNames(glob: Glob, word: Word | undefined): boolean {
  if (word?.operand === true && glob.source === OPERAND) return true;
  const first = word?.globbed === true ? word.pieces[0] : undefined;
  return typeof first === "string" && /^[^*]*[^*.]\*$/.test(glob.source) && glob.matches(first);
}

// Returns the position of the subcommand. Harmless options may precede it, as in `git --no-pager diff`, because they
// may as well follow it.
function skipOptions(
  program: string | undefined,
  given: readonly Word[],
  hazards: readonly Hazard[],
): number {
  if (program === undefined || given[1]?.text?.startsWith("-") !== true) return 1;
  const from = operandAfterOptions(program, given) ?? 1;
  return hazards.some(({ at }) => at > 0 && at < from) ? 1 : from;
}

function allowsProgram(glob: Glob, covers: Cover, program: string): boolean {
  const bare = bareName(program);
  return (
    covers(program) ||
    (!glob.source.includes("/") && glob.matches(bare) && !/^\.{0,2}\//.test(bare))
  );
}

// Every option of these only changes how they print their operands, so a name that is read as an option does no harm.
const PRINTERS: ReadonlySet<string> = new Set("cat head ls nl stat tac tail".split(" "));

/**
 * Whether an allow that accepts any arguments may cover the unknown words: none of them can be an option. A glob that
 * expands to several words is fine, because all of them begin alike.
 */
export function coversOpen(words: readonly Word[]): boolean {
  const [program, first] = words;
  // `printf` accepts no options after its format.
  let ended =
    printsAnyWords(program) ||
    compares(words) ||
    (program?.text === "printf" && first?.text?.startsWith("-") === false);
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) continue;
    if (word.text !== undefined && word.single) {
      ended ||= word.text === "--";
      continue;
    }
    if (word.found !== undefined) {
      if (!ended && !isFoundOperand(word)) return false;
      continue;
    }
    if (
      !word.single &&
      !(
        word.text === undefined &&
        word.pieces.every((piece) => typeof piece === "string" || piece.hole !== "any")
      )
    ) {
      return false;
    }
    const isName = word.globbed === true && PRINTERS.has(program?.text ?? "");
    if (!ended && !isName && !isOperand(word) && !isNamedOption(word)) return false;
  }
  return true;
}

// Whether `test` only compares texts or measures one, whatever they are.
function compares([program, ...words]: readonly Word[]): boolean {
  const isOpen = program?.text === "[" && words.at(-1)?.text === "]";
  if (!isOpen && program?.text !== "test") return false;
  const [first, second, ...more] = isOpen ? words.slice(0, -1) : words;
  return more.length === 0
    ? /^-[nz]$/.test(first?.text ?? "")
    : more.length === 1 && /^(?:==?|!=)$/.test(second?.text ?? "");
}

// A found path begins with its folder, or the host checks the names, so none can be read as an option.
function isFoundOperand({ pieces: [first], found }: Word): boolean {
  return typeof first === "string" ? !first.startsWith("-") : found?.splits === true;
}

/** Whether a word with unknown parts certainly is no option: it begins with other text, or is a number. */
function isOperand({ pieces: [first, second], operand }: Word): boolean {
  if (operand === true) return true;
  if (typeof first === "string") return first !== "" && !first.startsWith("-");
  // A minus, digits and then letters could be options.
  return (
    first?.hole === "number" &&
    (second === undefined || (typeof second === "string" && /^[^A-Za-z]/.test(second)))
  );
}
