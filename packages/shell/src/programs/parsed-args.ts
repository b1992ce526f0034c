import type { Word } from "../analysis.ts";
import { grammarOf } from "./grammar.ts";
import type { Grammar, Operand, Option, Spec, ParsedArgs, UsedOption } from "./program-spec.ts";
import { after, known, prefix } from "./word-text.ts";

const unknownOption = (name: string, spelled: string): Option => ({
  name,
  spelled,
  id: spelled,
  value: "none",
  role: "data",
  does: undefined,
});

interface Reader {
  readonly spec: Spec;
  readonly grammar: Grammar;
  readonly argv: readonly Word[];
  readonly options: UsedOption[];
  readonly operands: Operand[];
  readonly unknownOptions: Operand[];
  names: ReadonlySet<string> | undefined;
}

/** Parses argv from a position as getopt does. With `posix` it stops at the first operand. */
export function parseArgs(
  spec: Spec,
  argv: readonly Word[],
  from: number,
  { posix }: { readonly posix: boolean },
): ParsedArgs {
  const use: Reader = {
    spec,
    grammar: grammarOf(spec),
    argv,
    options: [],
    operands: [],
    unknownOptions: [],
    names: undefined,
  };
  for (let at = from; at < argv.length; at++) {
    const word = argv[at];
    if (word === undefined) break;
    const start = prefix(word);
    if (start === "--" && word.text !== undefined) {
      rest(use, at + 1);
      break;
    }
    const found = wordy(use.grammar, word, start);
    if (found !== undefined) at = take(use, at, found.option, found.value);
    else if (start.length < 2 || !start.startsWith("-")) {
      if (posix) {
        rest(use, at);
        break;
      }
      use.operands.push({ at, word });
    } else if (start.startsWith("--")) at = readLong(use, at, word, start);
    else at = readCluster(use, at, word, start);
  }
  return use;
}

function rest({ argv, operands }: Reader, first: number): void {
  for (let at = first; at < argv.length; at++) {
    const word = argv[at];
    if (word !== undefined) operands.push({ at, word });
  }
}

function take(
  { argv, options }: Reader,
  at: number,
  option: Option,
  glued: Word | undefined,
): number {
  if (option.value === "second" && glued === undefined) {
    options.push({ option, at, value: argv[at + 2] });
    return at + 2;
  }
  const next = glued === undefined && NEXT.has(option.value);
  options.push({
    option,
    at,
    value: next ? argv[at + 1] : option.value === "none" ? undefined : glued,
  });
  return next ? at + 1 : at;
}

const NEXT: ReadonlySet<Option["value"]> = new Set(["required", "number", "following"]);

function readLong(use: Reader, at: number, word: Word, start: string): number {
  const sign = start.indexOf("=");
  const name = start.slice(2, sign < 0 ? undefined : sign);
  const glued = sign < 0 ? undefined : after(word, sign + 1);
  const option =
    sign < 0 && word.text === undefined
      ? undefined
      : longOption(use.grammar, name, use.spec.exact === true);
  if (option !== undefined) return take(use, at, option, glued);
  use.unknownOptions.push({ at, word });
  use.options.push({ option: unknownOption(name, `--${name}`), at, value: glued });
  return at;
}

function readCluster(use: Reader, at: number, word: Word, start: string): number {
  const { argv, grammar, options, unknownOptions } = use;
  // The last word taken as a value.
  let taken = at;
  let odd = false;
  for (let index = 1; index < start.length; index++) {
    const letter = start[index] ?? "";
    const option = grammar.short.get(letter);
    if (option === undefined) {
      // Record the word only once, because it may have thousands of letters.
      if (!odd && (letter < "0" || letter > "9")) unknownOptions.push({ at, word });
      odd ||= letter < "0" || letter > "9";
      options.push({ option: unknownOption(letter, `-${letter}`), at, value: undefined });
      continue;
    }
    if (option.value === "none" || option.value === "digits") {
      options.push({ option, at, value: undefined });
      continue;
    }
    const last = index === start.length - 1 && word.text !== undefined;
    if (
      option.value === "number" ||
      (option.value === "following" && /^\d/.test(start.slice(index + 1)))
    ) {
      const digits = /^[-\d.,]*/.exec(start.slice(index + 1))?.[0].length ?? 0;
      if (last) return take(use, at, option, undefined);
      options.push({ option, at, value: known(start.slice(index + 1, index + 1 + digits)) });
      index += digits;
      continue;
    }
    if (option.value === "following") {
      options.push({ option, at, value: argv[++taken] });
      continue;
    }
    const value = last ? undefined : after(word, index + 1);
    return take(use, at, option, value);
  }
  // The rest of the word is unknown, so it may hold more options.
  if (word.text === undefined && !odd) unknownOptions.push({ at, word });
  return taken;
}

function wordy(
  grammar: Grammar,
  word: Word,
  start: string,
): { readonly option: Option; readonly value: Word | undefined } | undefined {
  if (grammar.wordy.size === 0) return undefined;
  if (word.text !== undefined) {
    const option = grammar.wordy.get(start);
    if (option !== undefined) return { option, value: undefined };
  }
  const sign = start.indexOf("=");
  const option = sign < 0 ? undefined : grammar.wordy.get(start.slice(0, sign));
  if (option !== undefined) return { option, value: after(word, sign + 1) };
  if (start.startsWith("+") && grammar.wordy.has("+")) {
    const plus = grammar.wordy.get("+");
    if (plus !== undefined) return { option: plus, value: after(word, 1) };
  }
  return undefined;
}

function longOption(grammar: Grammar, name: string, exact: boolean): Option | undefined {
  const whole = grammar.long.get(name);
  if (whole !== undefined || exact) return whole;
  let all = abbreviations.get(grammar);
  if (all === undefined) abbreviations.set(grammar, (all = abbreviationsOf(grammar)));
  return all.get(name);
}

const abbreviations = new WeakMap<Grammar, ReadonlyMap<string, Option>>();

function abbreviationsOf({ long }: Grammar): ReadonlyMap<string, Option> {
  const all = new Map<string, Option>();
  for (const [name, option] of long) {
    for (let end = 1; end < name.length; end++) {
      const found = all.get(name.slice(0, end));
      // Of two candidates, choose the one with a hazard.
      if (found === undefined || (found.does === undefined && option.does !== undefined))
        all.set(name.slice(0, end), option);
    }
  }
  return all;
}

const FEW = 8;
const NONE: readonly never[] = [];
const lists = new Map<string, readonly string[]>();

// Caches the split lists, which are constants.
function listOf(names: string): readonly string[] {
  let list = lists.get(names);
  if (list === undefined) lists.set(names, (list = names.split(" ")));
  return list;
}

/** Whether one of these options is used, by its table name. */
export function hasOption(use: ParsedArgs, names: string | readonly string[]): boolean {
  const { options } = use;
  if (options.length === 0) return false;
  const list = typeof names === "string" ? listOf(names) : names;
  if (options.length > FEW) {
    const all = (use.names ??= new Set(options.map(({ option }) => option.name)));
    return list.some((name) => all.has(name));
  }
  for (const { option } of options) if (list.includes(option.name)) return true;
  return false;
}

/** Whether one of these options is given and not revoked by a later `--no-…`. */
export function isInEffect(use: ParsedArgs, names: string): boolean {
  const list = listOf(names);
  if (!hasOption(use, list)) return false;
  return !use.options.some(({ option: { name } }) => {
    if (!name.startsWith("no-") || list.includes(name)) return false;
    const off = name.slice(3);
    return list.some((wanted) => wanted.startsWith(off));
  });
}

export function optionsNamed(use: ParsedArgs, name: string): readonly UsedOption[] {
  if (use.options.length === 0) return NONE;
  return use.options.filter(({ option }) => option.name === name);
}

/** The value of an option, or an empty word. */
export function valueOf(used: UsedOption): Word {
  return used.value ?? known("");
}
