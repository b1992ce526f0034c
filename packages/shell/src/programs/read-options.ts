import type { Word } from "../analysis.ts";
import { ALIASES, DEFAULTS, IMPLIES, LEADS, RUNS_BARE, SIGNALS, signalName } from "./same.ts";
import type { Spec } from "./spec.ts";
import { specOf } from "./tables.ts";
import { readTarUse } from "./archives.ts";
import { readUse, type Use } from "./use.ts";
import { wholeName } from "./whole-name.ts";
import { known, mayBeOption, prefix } from "./words.ts";

/** An option that a command line uses, under the one name that all its spellings have. */
export interface CommandOption {
  readonly name: string;
  /** Undefined where it has none. */
  readonly value: Word | undefined;
  /** It is not written: the program takes it where the others are. */
  readonly implied?: boolean;
}

/** A word that is no option, subcommands included. */
export interface CommandOperand {
  readonly word: Word;
  /** The word before it is an option that no table has, so this may be its value. */
  readonly after: boolean;
}

/** The options and the operands of a command. */
export interface CommandOptions {
  readonly options: readonly CommandOption[];
  readonly operands: readonly CommandOperand[];
  /** Some word may be any option. */
  readonly open: boolean;
}

const NO_TABLE: Spec = {};
const NONE: ReadonlyMap<string, string> = new Map();

/**
 * Reads the words of a command from a position on the way its program does: options under one name for all spellings, with their
 * values; subcommands by their usual name; combinations as what they stand for. Undefined for a program that no table has.
 */
export function readOptions(program: string, argv: readonly Word[], from: number): CommandOptions | undefined {
  const whole = specOf(program);
  // What has a reader of its own takes no options that a table could say.
  if (whole === undefined || (whole.read !== undefined && whole.options === undefined)) return undefined;
  let spec = whole;
  const options: CommandOption[] = [];
  const operands: CommandOperand[] = [];
  let path = program;
  let at = from;
  const lead = LEADS[program];
  if (lead !== undefined && argv[at]?.text?.startsWith(lead) === true) at++;
  for (;;) {
    if (SIGNALS.has(program)) argv = argv.map((word, index) => (index < at ? word : signalWord(word)));
    const posix: boolean = spec.posix === true || spec.subs !== undefined || spec.wrap !== undefined;
    const use: Use = spec.bundled === true ? readTarUse(argv, at) : readUse(spec, argv, at, { posix });
    const implies = IMPLIES[path];
    for (const { option, value } of use.options) {
      const names = implies?.[option.spelled]?.split(" ") ?? [option.id];
      for (const name of names) options.push({ name, value: signalValue(name, value, program) });
    }
    const [first] = use.operands;
    const after = doubted(use);
    if (spec.subs === undefined || first === undefined) {
      const marks = implies === undefined ? undefined : Object.entries(implies).filter(([name]) => !name.startsWith("-"));
      for (const { at: index, word } of use.operands) {
        operands.push({ word, after: after?.has(index) === true });
        for (const [mark, name] of marks ?? []) if (prefix(word).startsWith(mark)) options.push({ name, value: undefined });
      }
      break;
    }
    const written = first.word.text;
    const name = written === undefined ? undefined : wholeName(spec, written);
    operands.push({ word: first.word, after: after?.has(first.at) === true });
    const below = name === undefined ? path : usual(`${path} ${name}`);
    spec = subOf(whole, below.slice(program.length + 1)) ?? subOf(spec, name) ?? spec.subs["*"] ?? NO_TABLE;
    path = below;
    at = first.at + 1;
  }
  const standing = DEFAULTS[program];
  if (
    standing !== undefined &&
    options.some(({ name }) => standing.with.has(name)) &&
    !options.some(({ name }) => standing.without.has(name))
  ) {
    options.push({ name: standing.name, value: known(standing.value), implied: true });
  }
  const end = argv.findIndex((word, index) => index >= from && word.text === "--");
  const open = argv.some((word, index) => index >= from && (end < 0 || index < end) && isAnything(word));
  return { options, operands: rename(program, operands, whole), open };
}

// Positions behind options that no table has, whose values they may be.
function doubted({ strange }: Use): ReadonlySet<number> | undefined {
  if (strange.length === 0) return undefined;
  return new Set(strange.filter(({ word }) => !prefix(word).includes("=")).map(({ at }) => at + 1));
}

// Whether none of it or all of it may be an option.
function isAnything(word: Word): boolean {
  if (word.text !== undefined && word.single) return false;
  if (mayBeOption(word)) return true;
  return !word.single && word.pieces.some((piece) => typeof piece !== "string" && piece.hole === "any");
}

function subOf({ subs }: Spec, name: string | undefined): Spec | undefined {
  return name !== undefined && subs !== undefined && Object.hasOwn(subs, name) ? subs[name] : undefined;
}

function usual(path: string): string {
  const blank = path.indexOf(" ");
  const name = ALIASES[path.slice(0, blank)]?.get(path.slice(blank + 1));
  return name === undefined ? path : `${path.slice(0, blank)} ${name}`;
}

// The usual name of what the first one or two operands say.
function rename(program: string, operands: readonly CommandOperand[], whole: Spec): readonly CommandOperand[] {
  const aliases = ALIASES[program] ?? (whole.whole === undefined ? undefined : NONE);
  const [first, second] = operands;
  const written = first?.word.text;
  const given = written === undefined ? undefined : wholeName(whole, written);
  if (aliases === undefined || first === undefined || given === undefined) return operands;
  const one = aliases.get(given) ?? given;
  const next = second?.word.text;
  const both = next === undefined ? undefined : aliases.get(`${one} ${next}`);
  if (both !== undefined) return [...both.split(" ").map((text) => ({ ...first, word: known(text) })), ...operands.slice(2)];
  if (one === "run" && next !== undefined && RUNS_BARE.has(program) && !Object.hasOwn(whole.subs ?? {}, next)) return operands.slice(1);
  return one === written ? operands : [{ ...first, word: known(one) }, ...operands.slice(1)];
}

// `-9` and `-KILL` are values of an option.
function signalWord(word: Word): Word {
  const name = word.text === undefined ? undefined : /^-(\d+|[A-Z][A-Z0-9+-]*)$/.exec(word.text)?.[1];
  return name === undefined ? word : known(`--signal=${name}`);
}

function signalValue(name: string, value: Word | undefined, program: string): Word | undefined {
  if (name !== "--signal" || value?.text === undefined || !SIGNALS.has(program)) return value;
  return known(signalName(value.text));
}
