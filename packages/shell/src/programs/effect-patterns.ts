import type { Word } from "../analysis.ts";
import type { EffectName } from "../effect-names.ts";
import {
  readOptions,
  usualSubcommands,
  type CommandOperand,
  type CommandOptions,
} from "./read-options.ts";
import { known, mayBeOption, prefix } from "./word-text.ts";

/** An effect that a table can list. The other effects follow from paths, or from the lack of a table. */
export type TableEffect = Exclude<EffectName, "writes-outside" | "runs-outside" | "unknown">;

/**
 * The commands of a program that have an effect, as comma-separated patterns. Options match in any spelling and position. `*`: if
 * no other pattern of the program matches; `**`: always; `...`: any operands; `!--x`: without that option; `--`: with words after
 * `--`; `$`: with no more words; `*` at the end of a word: any ending.
 */
export type EffectPatterns = Readonly<Partial<Record<TableEffect, string>>>;

/** The effects of programs. A key may name several, separated by spaces. */
export type EffectTable = Readonly<Record<string, EffectPatterns>>;

/** Whether a pattern matches: no, perhaps, or yes. */
type Certainty = 0 | 1 | 2;

interface OptionTest {
  readonly name: string;
  readonly value: string | undefined;
  readonly absent: boolean;
}

interface Pattern {
  readonly operands: readonly string[];
  readonly options: readonly OptionTest[];
  readonly dashes: boolean;
  readonly alone: boolean;
}

/** A pattern as the table lists it. It is compiled when a command could match. */
interface ListedPattern {
  readonly effect: TableEffect;
  readonly words: readonly string[];
  compiled?: Pattern;
  /** See {@link namesOf}. Null if it is undefined. */
  names?: readonly string[] | null;
}

const listed = new WeakMap<EffectPatterns, Map<string, readonly ListedPattern[]>>();

function patternsOf(program: string, table: EffectPatterns): readonly ListedPattern[] {
  let byProgram = listed.get(table);
  if (byProgram === undefined) listed.set(table, (byProgram = new Map()));
  let patterns = byProgram.get(program);
  if (patterns === undefined) {
    patterns = (Object.entries(table) as [TableEffect, string][]).flatMap(([effect, list]) =>
      list.split(",").map((text) => ({ effect, words: text.trim().split(/\s+/) })),
    );
    byProgram.set(program, patterns);
  }
  return patterns;
}

const named = new Map<string, readonly string[] | undefined>();

// Many patterns of a program have the same first word.
function namesOf(program: string, first: string): readonly string[] | undefined {
  const key = `${program} ${first}`;
  let names = named.get(key);
  if (names === undefined && !named.has(key))
    named.set(key, (names = usualSubcommands(program, first)));
  return names;
}

/**
 * Whether a pattern may match, judged by its first word alone. Most patterns of a program begin with another subcommand, and reading
 * them all would be the largest part of deciding the first line with it.
 */
function mayFit(program: string, pattern: ListedPattern, { operands }: CommandOptions): boolean {
  const [first = ""] = pattern.words;
  if (!/^\w/.test(first)) return true;
  const [operand] = operands;
  if (operand?.word.text === first) return true;
  const names = (pattern.names ??= namesOf(program, first) ?? null);
  if (names === null) return true;
  if (operand === undefined) return false;
  const { text, single } = operand.word;
  return (
    operand.after || text === undefined || !single || names.some((name) => matches(name, text))
  );
}

function compile(program: string, words: readonly string[]): Pattern {
  const plain = words.filter((word) => !/^(?:\*\*?|--|\$|\.\.\.|!.*|-.*\*)$/.test(word));
  const read = readWords(program, [program, ...plain].map(known), 1);
  const names = read.options.filter(({ implied }) => implied !== true);
  const more = words.flatMap((word): readonly OptionTest[] => {
    if (/^-.+\*$/.test(word)) return [{ name: word, value: undefined, absent: false }];
    if (!word.startsWith("!")) return [];
    const operands = plain.filter((one) => !one.startsWith("-"));
    const without = readWords(program, [program, ...operands, word.slice(1)].map(known), 1);
    return without.options.map(({ name }) => ({ name, value: undefined, absent: true }));
  });
  const skips = words.indexOf("...");
  const operands = read.operands.map(({ word }) => word.text ?? "");
  return {
    operands: skips < 0 ? operands : operands.toSpliced(skips, 0, "..."),
    options: [
      ...names.map(({ name, value }) => ({ name, value: value?.text, absent: false })),
      ...more,
    ],
    dashes: words.includes("--"),
    alone: words.includes("$"),
  };
}

/** Whether a pattern is `*`, which matches only if no other pattern does. */
const isRest = ({ words }: ListedPattern): boolean => words.length === 1 && words[0] === "*";

/** Finds the effects that the table lists for a command. `told`: whether the table knows this command. */
export function findEffects(
  program: string,
  table: EffectPatterns,
  argv: readonly Word[],
  from: number,
  add: (effect: TableEffect, certainty: 1 | 2) => void,
): { readonly covered: boolean } {
  const command = readWords(program, argv, from);
  const patterns = patternsOf(program, table);
  let covered = false;
  for (const one of patterns) {
    if (isRest(one) || !mayFit(program, one, command)) continue;
    const pattern = (one.compiled ??= compile(program, one.words));
    const certainty = fits(pattern, command, argv, from);
    if (certainty === 0) continue;
    add(one.effect, certainty);
    covered ||= certainty === 2;
  }
  if (covered) return { covered };
  for (const one of patterns) {
    if (!isRest(one)) continue;
    add(one.effect, 2);
    covered = true;
  }
  return { covered };
}

function fits(
  { operands, options, dashes, alone }: Pattern,
  command: CommandOptions,
  argv: readonly Word[],
  from: number,
): Certainty {
  let certainty: Certainty = 2;
  for (const test of options) {
    const found = findOption(test, command, argv, from);
    if (test.absent ? found === 2 : found === 0 && !command.open) return 0;
    if (!test.absent && found !== 2) certainty = 1;
  }
  if (alone && argv.length > from + operands.length) return 0;
  if (dashes) {
    const at = argv.findIndex(({ text }, index) => index >= from && text === "--");
    if (at < 0 || at + 1 >= argv.length) return 0;
  }
  return Math.min(certainty, align(operands, command.operands)) as Certainty;
}

function findOption(
  { name, value }: OptionTest,
  { options }: CommandOptions,
  argv: readonly Word[],
  from: number,
): Certainty {
  let certainty: Certainty = 0;
  // An abbreviation counts as every option that begins with it.
  if (argv.some((word, at) => at >= from && abbreviates(name, word.text ?? ""))) return 2;
  for (const option of options) {
    if (!matches(name, option.name)) continue;
    if (value === undefined || option.value?.text === value) return 2;
    if (option.value !== undefined && option.value.text === undefined) certainty = 1;
  }
  return certainty;
}

function align(wanted: readonly string[], given: readonly CommandOperand[]): Certainty {
  let at = 0;
  let skips = false;
  for (const name of wanted) {
    if (name === "...") {
      skips = true;
      continue;
    }
    for (;;) {
      const operand = given[at++];
      if (operand === undefined) return 0;
      const { text, single } = operand.word;
      if (text === undefined || !single) return 1;
      if (matches(name, text)) break;
      if (!skips && !operand.after) return 0;
    }
    skips = false;
  }
  return 2;
}

const abbreviates = (name: string, text: string): boolean =>
  text.length > 4 && text.startsWith("--") && name !== text && name.startsWith(text);

const matches = (name: string, text: string): boolean =>
  name.endsWith("*") ? text.startsWith(name.slice(0, -1)) : name === text;

/** Splits a command into options and operands, even if the options of the program are unknown. */
function readWords(program: string, argv: readonly Word[], from: number): CommandOptions {
  const read = readOptions(program, argv, from);
  if (read !== undefined) return read;
  const options: { name: string; value: Word | undefined }[] = [];
  const operands: CommandOperand[] = [];
  let after = false;
  let open = false;
  for (const word of argv.slice(from)) {
    const start = prefix(word);
    open ||= word.text === undefined && mayBeOption(word);
    if (!start.startsWith("-") || start === "-") {
      operands.push({ word, after });
      after = false;
      continue;
    }
    const [name = "", value] = start.split("=", 2);
    options.push({ name, value: value === undefined ? undefined : known(value) });
    // Single letters may be combined in one word.
    if (/^-\w{2,16}$/.test(name))
      for (const letter of name.slice(1)) options.push({ name: `-${letter}`, value: undefined });
    after = value === undefined && start !== "--";
  }
  return { options, operands, open };
}
