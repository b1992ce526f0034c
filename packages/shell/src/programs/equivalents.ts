import type { Word } from "../analysis.ts";
import { readOptions } from "./read-options.ts";
import { ALIASES, IMPLIES, otherPrograms } from "./synonyms.ts";
import { grammarOf } from "./grammar.ts";
import { parseArgs } from "./parsed-args.ts";
import type { Option, Spec, ParsedArgs } from "./program-spec.ts";
import { abbreviates } from "./gnu-names.ts";
import { specOf } from "./program-table.ts";
import { fullSubcommandName } from "./subcommand-name.ts";
import { known } from "./word-text.ts";

/** The difference between two equivalent commands. */
export type EquivalenceKind =
  /** An option by another name. */
  | "name"
  /** A shortened long option. */
  | "beginning"
  /** A value joined to its option, or separate. */
  | "value"
  /** One option for several, or several for one. */
  | "combination"
  /** Options after the operands. */
  | "order"
  /** The subcommand by another name. */
  | "subcommand"
  /** The program by another name. */
  | "program";

/** An equivalent command. */
export interface EquivalentCommand {
  readonly kind: EquivalenceKind;
  readonly argv: readonly string[];
}

/**
 * Other ways to write a command, as far as the table of its program knows them. Each changes one thing and means the same. Empty
 * if the program has no table.
 */
export function equivalentCommands(argv: readonly string[]): readonly EquivalentCommand[] {
  const [program = ""] = argv;
  const meant = readingOf(argv);
  const found: EquivalentCommand[] = otherPrograms(argv).map((words): EquivalentCommand => ({
    kind: "program",
    argv: words,
  }));
  if (meant === undefined) return found;
  const seen = new Set([argv.join("\0")]);
  for (const one of candidates(program, argv)) {
    const key = one.argv.join("\0");
    // Tables can have surprises, so only commands that read the same are returned.
    if (seen.has(key) || readingOf(one.argv) !== meant) continue;
    seen.add(key);
    found.push(one);
  }
  return found;
}

// Longer commands are skipped, since every variant is parsed again.
const MAX_WORDS = 64;

function readingOf(argv: readonly string[]): string | undefined {
  const [program = ""] = argv;
  if (argv.length > MAX_WORDS) return undefined;
  const read = readOptions(program, argv.map(known), 1);
  if (read === undefined || read.open) return undefined;
  const options = read.options.map(({ name, value }) => `${name}=${value?.text ?? ""}`).toSorted();
  return JSON.stringify([options, read.operands.map(({ word, after }) => [word.text, after])]);
}

/** A part of a command with its own table: the program, or a subcommand, with its words. */
interface Level {
  readonly spec: Spec;
  readonly path: string;
  readonly use: ParsedArgs;
  /** The position of its first word. */
  readonly from: number;
  /** Whether its first operand is a subcommand, which starts the next level. */
  readonly leads: boolean;
}

function* levelsOf(program: string, argv: readonly Word[]): Generator<Level> {
  let spec = specOf(program);
  let path = program;
  let from = 1;
  while (spec !== undefined && spec.bundled !== true) {
    const use: ParsedArgs = parseArgs(spec, argv, from, {
      posix: spec.posix === true || spec.subs !== undefined || spec.wrap !== undefined,
    });
    const [first] = use.operands;
    const leads: boolean = spec.subs !== undefined && first?.word.text !== undefined;
    yield { spec, path, use, from, leads };
    if (!leads || first === undefined) return;
    const name = fullSubcommandName(spec, first.word.text ?? "");
    path = `${path} ${ALIASES[program]?.get(name) ?? name}`;
    spec =
      spec.subs !== undefined && Object.hasOwn(spec.subs, name)
        ? spec.subs[name]
        : spec.subs?.["*"];
    from = first.at + 1;
  }
}

function* candidates(program: string, argv: readonly string[]): Generator<EquivalentCommand> {
  for (const level of levelsOf(program, argv.map(known))) {
    yield* byOption(program, argv, level);
    yield* byCombination(argv, level);
    if (!level.leads) yield* byOrder(argv, level);
    else if (level.path === program) yield* bySubcommand(program, argv, level);
  }
}

function* byOption(
  program: string,
  argv: readonly string[],
  { spec, use }: Level,
): Generator<EquivalentCommand> {
  const grammar = grammarOf(spec);
  const all = [
    ...new Set([...grammar.long.values(), ...grammar.short.values(), ...grammar.wordy.values()]),
  ];
  for (const { option, at, value } of use.options) {
    const around = wordsAround(argv, use, at, option);
    if (around === undefined) continue;
    const put = (kind: EquivalenceKind, words: readonly string[]): EquivalentCommand => ({
      kind,
      argv: [...around.before, ...words, ...around.after],
    });
    const text = value?.text;
    for (const other of all) {
      if (other.id !== option.id || other.value !== option.value) continue;
      for (const words of spellings(other.spelled, text))
        yield put(other.spelled === option.spelled ? "value" : "name", words);
    }
    if (!option.spelled.startsWith("--") || spec.exact === true || !abbreviates(program)) continue;
    const start = beginningOf(option, grammar.long.keys());
    if (start !== undefined)
      for (const words of spellings(start, text)) yield put("beginning", words);
  }
}

function* spellings(name: string, value: string | undefined): Generator<readonly string[]> {
  if (value === undefined) return yield [name];
  yield [name, value];
  if (value !== "") yield [name.length === 2 ? name + value : `${name}=${value}`];
}

/** The words before and after an option with its value. Letters in the same word stay before it. */
function wordsAround(
  argv: readonly string[],
  { options, operands }: ParsedArgs,
  at: number,
  option: Option,
): { readonly before: readonly string[]; readonly after: readonly string[] } | undefined {
  const beside = options.filter((other) => other.at === at && other.option !== option);
  // Combined letters with values are too complicated to separate.
  if (beside.some(({ value, option: { spelled } }) => value !== undefined || spelled.length !== 2))
    return undefined;
  const next = [...options, ...operands].filter((other) => other.at > at).map((other) => other.at);
  const end = next.length === 0 ? argv.length : Math.min(...next);
  const rest = argv.slice(end);
  const own = argv.slice(at + 1, end);
  return {
    before: [...argv.slice(0, at), ...beside.map(({ option: { spelled } }) => spelled)],
    // `--` belongs to no option.
    after: own.at(-1) === "--" ? ["--", ...rest] : rest,
  };
}

// The shortest unambiguous prefix of a long option.
function beginningOf({ spelled }: Option, names: Iterable<string>): string | undefined {
  const name = spelled.slice(2);
  const others = [...names].filter((other) => other !== name);
  for (let length = 2; length < name.length; length++) {
    const start = name.slice(0, length);
    if (!others.some((other) => other.startsWith(start))) return `--${start}`;
  }
  return undefined;
}

function* byCombination(
  argv: readonly string[],
  { path, use }: Level,
): Generator<EquivalentCommand> {
  for (const [short, long] of Object.entries(IMPLIES[path] ?? {})) {
    if (!short.startsWith("-")) continue;
    const parts = long.split(" ");
    const put = (places: readonly number[], words: readonly string[]): EquivalentCommand => ({
      kind: "combination",
      argv: argv.flatMap((word, at) =>
        at === places[0] ? words : places.includes(at) ? [] : [word],
      ),
    });
    const whole = use.options.find(({ option }) => option.spelled === short);
    if (whole !== undefined && argv[whole.at] === short) yield put([whole.at], parts);
    const places = parts
      .flatMap((part) => use.options.filter(({ option }) => option.id === part).slice(0, 1))
      .map(({ at }) => at);
    if (places.length === parts.length)
      yield put(
        places.toSorted((a, b) => a - b),
        [short],
      );
  }
}

function* byOrder(
  argv: readonly string[],
  { use, from, spec }: Level,
): Generator<EquivalentCommand> {
  if (
    use.options.length === 0 ||
    use.operands.length === 0 ||
    spec.posix === true ||
    argv.slice(from).includes("--")
  )
    return;
  const places = new Set(use.operands.map(({ at }) => at));
  const rest = argv.slice(from);
  const isOperand = (_: string, at: number): boolean => places.has(from + at);
  yield {
    kind: "order",
    argv: [
      ...argv.slice(0, from),
      ...rest.filter(isOperand),
      ...rest.filter((word, at) => !isOperand(word, at)),
    ],
  };
}

// Subcommands with aliases that take different words.
const STRICTER: ReadonlySet<string> = new Set(["git push", "git fetch"]);

function* bySubcommand(
  program: string,
  argv: readonly string[],
  { use }: Level,
): Generator<EquivalentCommand> {
  const aliases = ALIASES[program];
  const [first] = use.operands;
  if (aliases === undefined || first === undefined) return;
  for (const length of [1, 2]) {
    const written = argv.slice(first.at, first.at + length).join(" ");
    const usual = aliases.get(written) ?? written;
    if (STRICTER.has(`${program} ${usual}`)) continue;
    const names = [
      usual,
      ...[...aliases].flatMap(([name, of]) => (of === usual ? [name] : [])),
    ].filter((name) => name !== written);
    for (const name of names) {
      yield {
        kind: "subcommand",
        argv: [...argv.slice(0, first.at), ...name.split(" "), ...argv.slice(first.at + length)],
      };
    }
  }
}
