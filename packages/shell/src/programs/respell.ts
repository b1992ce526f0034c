import type { Word } from "../analysis.ts";
import { readOptions } from "./read-options.ts";
import { ALIASES, IMPLIES, otherPrograms } from "./same.ts";
import { grammarOf, type Option, type Spec } from "./spec.ts";
import { abbreviates, specOf } from "./tables.ts";
import { readUse, type Use } from "./use.ts";
import { wholeName } from "./whole-name.ts";
import { known } from "./words.ts";

/** What was changed in a command that does the same. */
export type RespellingKind =
  /** An option has another of its names. */
  | "name"
  /** A long option is shortened. */
  | "beginning"
  /** A value stands apart from its option, or is joined to it. */
  | "value"
  /** One option stands for several, or several for one. */
  | "combination"
  /** Options stand behind the operands. */
  | "order"
  /** The subcommand has another of its names. */
  | "subcommand"
  /** The program has another of its names. */
  | "program";

/** A command that its program takes for the same. */
export interface Respelling {
  readonly kind: RespellingKind;
  readonly argv: readonly string[];
}

/**
 * The ways in which the words of a command can be written differently, as far as the table of its program has them: each changes
 * one thing, and what the program reads stays the same. None for a program without a table.
 */
export function respell(argv: readonly string[]): readonly Respelling[] {
  const [program = ""] = argv;
  const meant = meaningOf(argv);
  const found: Respelling[] = otherPrograms(argv).map((words): Respelling => ({ kind: "program", argv: words }));
  if (meant === undefined) return found;
  const seen = new Set([argv.join("\0")]);
  for (const one of candidates(program, argv)) {
    const key = one.argv.join("\0");
    // A table may be read in ways that nobody thought of: what does not come out the same is no respelling.
    if (seen.has(key) || meaningOf(one.argv) !== meant) continue;
    seen.add(key);
    found.push(one);
  }
  return found;
}

// Enough of a shell line; each way is read once more.
const MOST = 64;

function meaningOf(argv: readonly string[]): string | undefined {
  const [program = ""] = argv;
  if (argv.length > MOST) return undefined;
  const read = readOptions(program, argv.map(known), 1);
  if (read === undefined || read.open) return undefined;
  const options = read.options.map(({ name, value }) => `${name}=${value?.text ?? ""}`).toSorted();
  return JSON.stringify([options, read.operands.map(({ word, after }) => [word.text, after])]);
}

/** A part of the command with a table of its own: the program, or a subcommand with its words. */
interface Level {
  readonly spec: Spec;
  readonly path: string;
  readonly use: Use;
  /** Where its words begin. */
  readonly from: number;
  /** Its first operand is a subcommand, and the next level begins behind it. */
  readonly leads: boolean;
}

function* levelsOf(program: string, argv: readonly Word[]): Generator<Level> {
  let spec = specOf(program);
  let path = program;
  let from = 1;
  while (spec !== undefined && spec.bundled !== true) {
    const use: Use = readUse(spec, argv, from, { posix: spec.posix === true || spec.subs !== undefined || spec.wrap !== undefined });
    const [first] = use.operands;
    const leads: boolean = spec.subs !== undefined && first?.word.text !== undefined;
    yield { spec, path, use, from, leads };
    if (!leads || first === undefined) return;
    const name = wholeName(spec, first.word.text ?? "");
    path = `${path} ${ALIASES[program]?.get(name) ?? name}`;
    spec = spec.subs !== undefined && Object.hasOwn(spec.subs, name) ? spec.subs[name] : spec.subs?.["*"];
    from = first.at + 1;
  }
}

function* candidates(program: string, argv: readonly string[]): Generator<Respelling> {
  for (const level of levelsOf(program, argv.map(known))) {
    yield* byOption(program, argv, level);
    yield* byCombination(argv, level);
    if (!level.leads) yield* byOrder(argv, level);
    else if (level.path === program) yield* bySubcommand(program, argv, level);
  }
}

function* byOption(program: string, argv: readonly string[], { spec, use }: Level): Generator<Respelling> {
  const grammar = grammarOf(spec);
  const all = [...new Set([...grammar.long.values(), ...grammar.short.values(), ...grammar.wordy.values()])];
  for (const { option, at, value } of use.options) {
    const around = wordsAround(argv, use, at, option);
    if (around === undefined) continue;
    const put = (kind: RespellingKind, words: readonly string[]): Respelling => ({
      kind,
      argv: [...around.before, ...words, ...around.after],
    });
    const text = value?.text;
    for (const other of all) {
      if (other.id !== option.id || other.value !== option.value) continue;
      for (const words of spellings(other.spelled, text)) yield put(other.spelled === option.spelled ? "value" : "name", words);
    }
    if (!option.spelled.startsWith("--") || spec.exact === true || !abbreviates(program)) continue;
    const start = beginningOf(option, grammar.long.keys());
    if (start !== undefined) for (const words of spellings(start, text)) yield put("beginning", words);
  }
}

function* spellings(name: string, value: string | undefined): Generator<readonly string[]> {
  if (value === undefined) return yield [name];
  yield [name, value];
  if (value !== "") yield [name.length === 2 ? name + value : `${name}=${value}`];
}

/** The words before and after an option with its value; what stands in one word with it stays before it. */
function wordsAround(
  argv: readonly string[],
  { options, operands }: Use,
  at: number,
  option: Option,
): { readonly before: readonly string[]; readonly after: readonly string[] } | undefined {
  const beside = options.filter((other) => other.at === at && other.option !== option);
  // Letters whose values stand elsewhere cannot be told apart so simply.
  if (beside.some(({ value, option: { spelled } }) => value !== undefined || spelled.length !== 2)) return undefined;
  const next = [...options, ...operands].filter((other) => other.at > at).map((other) => other.at);
  const end = next.length === 0 ? argv.length : Math.min(...next);
  const rest = argv.slice(end);
  const own = argv.slice(at + 1, end);
  return {
    before: [...argv.slice(0, at), ...beside.map(({ option: { spelled } }) => spelled)],
    // `--` ends the options, and belongs to none of them.
    after: own.at(-1) === "--" ? ["--", ...rest] : rest,
  };
}

// As few letters of a long option as tell it from all others.
function beginningOf({ spelled }: Option, names: Iterable<string>): string | undefined {
  const name = spelled.slice(2);
  const others = [...names].filter((other) => other !== name);
  for (let length = 2; length < name.length; length++) {
    const start = name.slice(0, length);
    if (!others.some((other) => other.startsWith(start))) return `--${start}`;
  }
  return undefined;
}

function* byCombination(argv: readonly string[], { path, use }: Level): Generator<Respelling> {
  for (const [short, long] of Object.entries(IMPLIES[path] ?? {})) {
    if (!short.startsWith("-")) continue;
    const parts = long.split(" ");
    const put = (places: readonly number[], words: readonly string[]): Respelling => ({
      kind: "combination",
      argv: argv.flatMap((word, at) => (at === places[0] ? words : places.includes(at) ? [] : [word])),
    });
    const whole = use.options.find(({ option }) => option.spelled === short);
    if (whole !== undefined && argv[whole.at] === short) yield put([whole.at], parts);
    const places = parts.flatMap((part) => use.options.filter(({ option }) => option.id === part).slice(0, 1)).map(({ at }) => at);
    if (places.length === parts.length)
      yield put(
        places.toSorted((a, b) => a - b),
        [short],
      );
  }
}

function* byOrder(argv: readonly string[], { use, from, spec }: Level): Generator<Respelling> {
  if (use.options.length === 0 || use.operands.length === 0 || spec.posix === true || argv.slice(from).includes("--")) return;
  const places = new Set(use.operands.map(({ at }) => at));
  const rest = argv.slice(from);
  const isOperand = (_: string, at: number): boolean => places.has(from + at);
  yield { kind: "order", argv: [...argv.slice(0, from), ...rest.filter(isOperand), ...rest.filter((word, at) => !isOperand(word, at))] };
}

// What is denied as if it were the same, and takes other words.
const ALIKE: ReadonlySet<string> = new Set(["git push", "git fetch"]);

function* bySubcommand(program: string, argv: readonly string[], { use }: Level): Generator<Respelling> {
  const aliases = ALIASES[program];
  const [first] = use.operands;
  if (aliases === undefined || first === undefined) return;
  for (const length of [1, 2]) {
    const written = argv.slice(first.at, first.at + length).join(" ");
    const usual = aliases.get(written) ?? written;
    if (ALIKE.has(`${program} ${usual}`)) continue;
    const names = [usual, ...[...aliases].flatMap(([name, of]) => (of === usual ? [name] : []))].filter((name) => name !== written);
    for (const name of names) {
      yield { kind: "subcommand", argv: [...argv.slice(0, first.at), ...name.split(" "), ...argv.slice(first.at + length)] };
    }
  }
}
