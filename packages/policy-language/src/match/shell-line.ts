import {
  analyze,
  countEqual,
  namedEffects,
  type Analysis,
  type Effect,
  type NamedEffects,
  type ShellCommand,
  type Word,
} from "@bylaw/shell";
import { bareName, baseName } from "../compile/program-name.ts";
import { quoted, shown } from "./command-text.ts";
import { programsOf, type ProgramName } from "./program-names.ts";
import { findOwnVariables } from "./own-variables.ts";
import { sortWords, type CommandWords, type SortedWords } from "./sorted-words.ts";

/** One simple command of a shell line, as rules need it. Each answer is computed on first use. */
export class LinePart implements CommandWords {
  readonly words: readonly Word[];
  /** How often the line contains this command. */
  readonly times: number;
  /** Positions of the arguments that make the command do more than its name says. */
  readonly hazards: ShellCommand["hazards"];
  readonly effects: readonly Effect[];
  /** Whether the line may give it something to read: through a pipe, from a file or from a here-document. */
  readonly hasInput: boolean;
  /** Whether its files are on another machine or in a container. */
  readonly remote: boolean;
  /** Whether its later words could be a command that it runs. */
  readonly carries: boolean;
  /** The number of first words at which a denied command may start. */
  readonly starts: number;
  /** Why it is not fully known what the command runs or does. */
  readonly unknown: string | undefined;
  /** Whether it is only text that looks like a command. It concerns only denies and asks; no rule has to allow it. */
  readonly suspect: boolean;
  /** Whether an allow that covers its words covers all of it. */
  readonly plain: boolean;
  /** A variable that the line sets for it, and that may change what it does. */
  readonly variable: string | undefined;
  /** Whether nothing about it is unknown and no variable steers it. It may redirect its output. */
  readonly clear: boolean;
  /** Like `plain`, but the output may go to files. */
  readonly writesOutput: boolean;
  /** Whether some word or effect is unknown, so that a deny may match without certainty. */
  readonly doubtful: boolean;
  /** Whether the names that one of its globs finds may show that none is an option. See {@link LinePart.lookedUp}. */
  readonly settled: boolean;
  readonly #command: ShellCommand;
  readonly #whole: { readonly known: boolean };
  #named: NamedEffects | undefined = undefined;
  #programs: readonly ProgramName[] | undefined = undefined;
  #startsByName: ReadonlyMap<string | undefined, readonly number[]> | undefined = undefined;
  #repeated: readonly (readonly [string, number])[] | undefined = undefined;
  #text: string | undefined = undefined;
  #quoted: string | undefined = undefined;
  #sorted: { readonly from: number; readonly words: SortedWords } | undefined = undefined;

  constructor(command: ShellCommand, whole: { readonly known: boolean }, times = 1) {
    const { argv, hazards, effects, remote, carries, unknown, redirections, assignments } = command;
    this.#command = command;
    this.#whole = whole;
    this.words = argv;
    this.times = times;
    this.hazards = hazards;
    this.effects = effects;
    this.hasInput = command.hasInput === true;
    this.remote = remote;
    this.carries = carries;
    this.suspect = command.origin === "sight";
    this.starts = carries ? argv.length : Math.min(1, argv.length);
    this.unknown = unknown[0]?.what;
    this.variable = assignments.find(({ harmless }) => !harmless)?.name;
    this.clear = whole.known && this.unknown === undefined && this.variable === undefined;
    this.plain = this.clear && !redirections.some(({ writes }) => writes);
    this.writesOutput =
      this.clear && !redirections.some(({ writes, connects }) => writes && connects === true);
    this.settled = argv.some(({ settled }) => settled !== undefined);
    this.doubtful =
      remote || this.starts > MANY_STARTS || argv.some(isOpen) || effects.some(isRegion);
  }

  /** The command, after its settled globs were looked up. `holdsNoOption`: whether none of the names that a glob finds can be an option. */
  lookedUp(holdsNoOption: (glob: string) => boolean): LinePart {
    const isOperand = ({ settled }: Word): boolean =>
      settled !== undefined && holdsNoOption(settled);
    const argv = this.words.map((word): Word =>
      isOperand(word) ? { ...word, operand: true } : word,
    );
    return new LinePart({ ...this.#command, argv }, this.#whole, this.times);
  }

  /** The names of its effects. */
  get named(): NamedEffects {
    return (this.#named ??= namedEffects(this.#command));
  }

  /** The names of programs that its words may start: each as written, without folders, and up to a space. */
  get programs(): readonly ProgramName[] {
    return (this.#programs ??= programsOf(this.words.slice(0, this.starts)));
  }

  /** The positions at which a command of this program may start, and some others. Without `program`, all positions. */
  startsOf(program: string | undefined): readonly number[] {
    if (this.starts <= 1) return this.starts === 0 ? [] : FIRST;
    const byName = (this.#startsByName ??= this.#indexStarts());
    return byName.get(program?.toLowerCase()) ?? [];
  }

  /** The programs that many of its words may start, in lower case, each with the number of starts. */
  get repeated(): readonly (readonly [name: string, starts: number])[] {
    if (this.starts < MANY_NAMES) return NONE;
    this.#repeated ??= Array.from((this.#startsByName ??= this.#indexStarts()))
      .filter(([name, { length }]) => name !== undefined && length >= MANY_NAMES)
      .map(([name = "", { length }]) => [name, length]);
    return this.#repeated;
  }

  sortedFrom(from: number): SortedWords {
    if (this.#sorted?.from !== from) this.#sorted = { from, words: sortWords(this.words, from) };
    return this.#sorted.words;
  }

  #indexStarts(): ReadonlyMap<string | undefined, readonly number[]> {
    const all: number[] = [];
    const byName = new Map<string | undefined, number[]>([[undefined, all]]);
    for (const [at, { text }] of this.words.slice(0, this.starts).entries()) {
      if (text === undefined) continue;
      all.push(at);
      const name = baseName(text).toLowerCase();
      const list = byName.get(name);
      if (list === undefined) byName.set(name, [at]);
      else list.push(at);
    }
    return byName;
  }

  /** The words joined by spaces, with `…` for unknown parts. */
  get text(): string {
    this.#text ??= this.words
      .map((word, at) => (at === 0 ? bareName(shown(word)) : shown(word)))
      .join(" ");
    return this.#text;
  }

  /** Like {@link text}, but a word that is empty or contains a space is quoted, so that it never reads as two. */
  get quoted(): string {
    this.#quoted ??= this.words
      .map((word, at) => quoted(at === 0 ? bareName(shown(word)) : shown(word)))
      .join(" ");
    return this.#quoted;
  }
}

const FIRST: readonly number[] = [0];
const NONE: readonly never[] = [];
const MANY_NAMES = 8;

// With more possible starts than this, a regular expression may not have been tried at all of them.
const MANY_STARTS = 64;

const isOpen = (word: Word): boolean => word.text === undefined || !word.single;

function isRegion(effect: Effect): boolean {
  if (effect.kind === "network") return effect.host === undefined;
  if (!("path" in effect)) return false;
  return (
    effect.below === true || effect.path.text === undefined || effect.path.pattern !== undefined
  );
}

/** A shell line as rules see it. */
export interface LineFacts {
  /** The commands of the line. A line without commands has one command without words. */
  readonly parts: readonly LinePart[];
  /** Why the line as a whole is not fully known. */
  readonly unknown: string | undefined;
  /** Whether the line is so large that its commands were not compared with rules. */
  readonly tooLarge: boolean;
}

const NO_COMMAND: ShellCommand = {
  argv: [],
  assignments: [],
  redirections: [],
  origin: "line",
  remote: false,
  hazards: [],
  effects: [],
  carries: false,
  unknown: [],
};

// What a line of comments does. An interactive zsh reads them as commands, so nothing may have a meaning to a shell.
const COMMENTS = /^(?:\s*#[\w\s.,:/'"-]*)+$/;
const DOES_NOTHING: ShellCommand = {
  ...NO_COMMAND,
  argv: [{ text: ":", pieces: [":"], single: true }],
};

// Agents repeat a few lines. Facts are cached from the second time on, because caching every line nearly doubles the
// time of a new one. Longer lines would take too much memory.
const KEPT_LINES = 512;
const KEPT_LENGTH = 512;
const kept = new Map<string, LineFacts>();
const seen = new Set<string>();
// One decision reads its line several times, however long it is.
let last:
  | { readonly line: string; readonly cwd: string | undefined; readonly facts: LineFacts }
  | undefined;

interface ReadOptions {
  /** A reason outside of the line why the call is not fully known. */
  readonly beside?: string | undefined;
  /** The working directory. */
  readonly cwd?: string | undefined;
}

/** Analyzes a shell line. */
export function readLine(line: string, { beside, cwd }: ReadOptions = {}): LineFacts {
  if (beside !== undefined) return factsOf(analyze(line, { cwd }), beside);
  if (last?.line !== line || last.cwd !== cwd)
    last = { line, cwd, facts: kept.get(line) ?? readAndKeep(line, cwd) };
  return last.facts;
}

const ASKS_FOR_FOLDER = /\$\{?PWD|\$\( ?pwd|`pwd`/;

function readAndKeep(line: string, cwd: string | undefined): LineFacts {
  const facts = readNew(line, cwd);
  // What such a line does depends on its folder.
  if (line.length > KEPT_LENGTH || ASKS_FOR_FOLDER.test(line)) return facts;
  // Both are emptied at once, which needs no record of the last use.
  if (seen.has(line)) {
    if (kept.size >= KEPT_LINES) kept.clear();
    kept.set(line, facts);
  } else {
    if (seen.size >= KEPT_LINES) seen.clear();
    seen.add(line);
  }
  return facts;
}

function readNew(line: string, cwd: string | undefined): LineFacts {
  const analysis = analyze(line, { cwd });
  return factsOf(
    analysis,
    analysis.unknown[0]?.what ?? (line.trim() === "" ? "the line has no command" : undefined),
    COMMENTS.test(line),
  );
}

function factsOf(
  { commands, unknown }: Analysis,
  why: string | undefined,
  comments = false,
): LineFacts {
  const whole = { known: why === undefined };
  const setsOwn = findOwnVariables(commands);
  const others = commands.filter((command) => !setsOwn(command));
  const [first = comments ? DOES_NOTHING : NO_COMMAND] = commands;
  return {
    parts: partsOf(others.length === 0 ? [first] : others, whole),
    unknown: why,
    tooLarge: unknown.some(({ code }) => code === "size"),
  };
}

// A shorter line rarely repeats a command, so comparing its commands is not worthwhile.
const MANY_COMMANDS = 64;

// Rules decide equal commands equally, so each of them is evaluated once.
function partsOf(
  commands: readonly ShellCommand[],
  whole: { readonly known: boolean },
): readonly LinePart[] {
  if (commands.length <= MANY_COMMANDS)
    return commands.map((command) => new LinePart(command, whole));
  return Array.from(
    countEqual(commands),
    ([command, times]) => new LinePart(command, whole, times),
  );
}

/** The commands of text that may be a shell line. They concern only denies and asks; no rule has to allow them. */
export function suspectParts(line: string): readonly LinePart[] {
  const commands = analyze(line).commands.map((command) => ({
    ...command,
    origin: "sight" as const,
  }));
  return partsOf(commands, { known: true });
}

/** The facts of a line that is not text. */
export function unreadable(why: string): LineFacts {
  return { parts: [new LinePart(NO_COMMAND, { known: false })], unknown: why, tooLarge: false };
}
