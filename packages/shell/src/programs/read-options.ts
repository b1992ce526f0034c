import type { Word } from "../analysis.ts";
import {
  ALIASES,
  DEFAULTS,
  IMPLIES,
  PREFIX_SYNONYMS,
  RUNS_BARE,
  SIGNALS,
  signalName,
} from "./synonyms.ts";
import { parseArgs } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { specOf } from "./program-table.ts";
import { readTarUse } from "./tar.ts";
import { fullSubcommandName } from "./subcommand-name.ts";
import { known, mayBeOption, prefix } from "./word-text.ts";

/** An option of a command, under one name for all spellings. */
export interface CommandOption {
  readonly name: string;
  /** Undefined if it has no value. */
  readonly value: Word | undefined;
  /** Whether it is not written, but implied by other options. */
  readonly implied?: boolean;
}

/** An argument that is not an option. Subcommands are included. */
export interface CommandOperand {
  readonly word: Word;
  /** Whether it follows an unknown option and may be its value. */
  readonly after: boolean;
}

/** The options and operands of a command. */
export interface CommandOptions {
  readonly options: readonly CommandOption[];
  readonly operands: readonly CommandOperand[];
  /** Whether an unknown word may be any option. */
  readonly open: boolean;
}

const NO_TABLE: Spec = {};
const NONE: ReadonlyMap<string, string> = new Map();

/**
 * Reads the arguments of a command as its program does. Options have one name for all spellings, subcommands have their usual name, and
 * combined options are split. Undefined for a program without a table.
 */
export function readOptions(
  program: string,
  argv: readonly Word[],
  from: number,
): CommandOptions | undefined {
  const whole = specOf(program);
  // Programs with their own parser have no option table.
  if (whole === undefined || (whole.read !== undefined && whole.options === undefined))
    return undefined;
  let spec = whole;
  const options: CommandOption[] = [];
  const operands: CommandOperand[] = [];
  let path = program;
  let at = from;
  const lead = PREFIX_SYNONYMS[program];
  if (lead !== undefined && argv[at]?.text?.startsWith(lead) === true) at++;
  for (;;) {
    if (SIGNALS.has(program))
      argv = argv.map((word, index) => (index < at ? word : signalWord(word)));
    const posix: boolean =
      spec.posix === true || spec.subs !== undefined || spec.wrap !== undefined;
    const use: ParsedArgs =
      spec.bundled === true ? readTarUse(argv, at) : parseArgs(spec, argv, at, { posix });
    const implies = IMPLIES[path];
    for (const { option, value } of use.options) {
      const names = implies?.[option.spelled]?.split(" ") ?? [option.id];
      for (const name of names) options.push({ name, value: signalValue(name, value, program) });
    }
    const [first] = use.operands;
    const after = doubted(use);
    const written = spec.subs === undefined ? use.operands : use.operands.slice(0, 1);
    for (const { at: index, word } of written)
      operands.push({ word, after: after?.has(index) === true });
    if (spec.subs === undefined || first === undefined) {
      options.push(...impliedByWords(implies, use));
      break;
    }
    const { text } = first.word;
    const name = text === undefined ? undefined : fullSubcommandName(spec, text);
    path = name === undefined ? path : usual(`${path} ${name}`);
    spec =
      subOf(whole, path.slice(program.length + 1)) ??
      subOf(spec, name) ??
      spec.subs["*"] ??
      NO_TABLE;
    at = first.at + 1;
  }
  options.push(...impliedByDefault(program, options));
  const renamed = rename(program, operands, whole);
  return { options, operands: renamed, open: isOpen(argv.slice(from)) };
}

// The options that operands with certain first characters imply.
function impliedByWords(
  implies: Readonly<Record<string, string>> | undefined,
  { operands }: ParsedArgs,
): readonly CommandOption[] {
  if (implies === undefined) return [];
  const marks = Object.entries(implies).filter(([name]) => !name.startsWith("-"));
  return operands.flatMap(({ word }) =>
    marks
      .filter(([mark]) => prefix(word).startsWith(mark))
      .map(([, name]) => ({ name, value: undefined })),
  );
}

// The option that is in effect although it is not written, unless another one turns it off.
function impliedByDefault(
  program: string,
  options: readonly CommandOption[],
): readonly CommandOption[] {
  const standing = DEFAULTS[program];
  if (
    standing === undefined ||
    !options.some(({ name }) => standing.with.has(name)) ||
    options.some(({ name }) => standing.without.has(name))
  )
    return [];
  return [{ name: standing.name, value: known(standing.value), implied: true }];
}

// Whether one of the words before `--` may be any option.
/**
 * The positions of the options without a value, as written, that a program accepts before and after its operands. Empty for a program
 * without a table.
 */
export function flagPositions(program: string, argv: readonly Word[]): ReadonlyMap<string, number> {
  let spec = specOf(program);
  let from = 1;
  while (spec !== undefined && spec.read === undefined && spec.bundled !== true) {
    const { subs } = spec;
    const posix = spec.posix === true || spec.wrap !== undefined;
    if (posix && subs === undefined) break;
    const use = parseArgs(spec, argv, from, { posix: subs !== undefined });
    if (subs === undefined)
      return new Map(
        use.options.flatMap(({ option, at }) =>
          option.value === "none" && argv[at]?.text === option.spelled
            ? [[option.spelled, at]]
            : [],
        ),
      );
    const [first] = use.operands;
    const text = first?.word.text;
    from = (first?.at ?? 0) + 1;
    spec = text === undefined ? undefined : subOf(spec, fullSubcommandName(spec, text));
  }
  return new Map();
}

function isOpen(words: readonly Word[]): boolean {
  const end = words.findIndex(({ text }) => text === "--");
  return (end < 0 ? words : words.slice(0, end)).some(isAnything);
}

/**
 * The position of the first operand after the options: the subcommand or target. Undefined if there is none, if the program has
 * no table, or if the program runs another command, to which the options could belong.
 */
export function operandAfterOptions(program: string, argv: readonly Word[]): number | undefined {
  const spec = specOf(program);
  if (spec?.options === undefined || spec.wrap !== undefined) return undefined;
  // An option after the operand of an interpreter belongs to the script.
  if (spec.posix === true && spec.subs === undefined) return undefined;
  const posix = spec.subs !== undefined;
  const at = parseArgs(spec, argv, 1, { posix }).operands[0]?.at;
  return at === 1 ? undefined : at;
}

// The positions after unknown options, whose values these words may be.
function doubted({ unknownOptions }: ParsedArgs): ReadonlySet<number> | undefined {
  if (unknownOptions.length === 0) return undefined;
  return new Set(
    unknownOptions.filter(({ word }) => !prefix(word).includes("=")).map(({ at }) => at + 1),
  );
}

// Whether the word may be one or more options.
function isAnything(word: Word): boolean {
  if (word.text !== undefined && word.single) return false;
  if (mayBeOption(word)) return true;
  // The host refuses a list of names that would be read as other words.
  return (
    !word.single &&
    word.found === undefined &&
    word.pieces.some((piece) => typeof piece !== "string" && piece.hole === "any")
  );
}

function subOf({ subs }: Spec, name: string | undefined): Spec | undefined {
  return name !== undefined && subs !== undefined && Object.hasOwn(subs, name)
    ? subs[name]
    : undefined;
}

function usual(path: string): string {
  const blank = path.indexOf(" ");
  const name = ALIASES[path.slice(0, blank)]?.get(path.slice(blank + 1));
  return name === undefined ? path : `${path.slice(0, blank)} ${name}`;
}

/**
 * The names that `readOptions` may give to a first operand, whatever follows it. Undefined if they are not known. For programs
 * without a table it is the word.
 */
export function usualSubcommands(program: string, written: string): readonly string[] | undefined {
  const spec = specOf(program);
  if (spec === undefined) return [written];
  if (spec.bundled === true || PREFIX_SYNONYMS[program] !== undefined) return undefined;
  if (RUNS_BARE.has(program)) return undefined;
  const name = fullSubcommandName(spec, written);
  const aliases = ALIASES[program] ?? NONE;
  const one = aliases.get(name) ?? name;
  // With the next word, it may be another spelling of something else: `git svn dcommit` is `git push`.
  const names = [one];
  for (const [alias, usually] of aliases)
    if (alias.startsWith(`${one} `)) names.push(usually.split(" ", 1)[0] ?? usually);
  return names;
}

// Replaces the first one or two operands by the usual name of the subcommand.
function rename(
  program: string,
  operands: readonly CommandOperand[],
  whole: Spec,
): readonly CommandOperand[] {
  const aliases = ALIASES[program] ?? (whole.fullName === undefined ? undefined : NONE);
  const [first, second] = operands;
  const written = first?.word.text;
  const given = written === undefined ? undefined : fullSubcommandName(whole, written);
  if (aliases === undefined || first === undefined || given === undefined) return operands;
  const one = aliases.get(given) ?? given;
  const next = second?.word.text;
  const both = next === undefined ? undefined : aliases.get(`${one} ${next}`);
  if (both !== undefined)
    return [
      ...both.split(" ").map((text) => ({ ...first, word: known(text) })),
      ...operands.slice(2),
    ];
  if (
    one === "run" &&
    next !== undefined &&
    RUNS_BARE.has(program) &&
    !Object.hasOwn(whole.subs ?? {}, next)
  )
    return operands.slice(1);
  return one === written ? operands : [{ ...first, word: known(one) }, ...operands.slice(1)];
}

// `-9` and `-KILL` are signals.
function signalWord(word: Word): Word {
  const name =
    word.text === undefined ? undefined : /^-(\d+|[A-Z][A-Z0-9+-]*)$/.exec(word.text)?.[1];
  return name === undefined ? word : known(`--signal=${name}`);
}

function signalValue(name: string, value: Word | undefined, program: string): Word | undefined {
  if (name !== "--signal" || value?.text === undefined || !SIGNALS.has(program)) return value;
  return known(signalName(value.text));
}
