import {
  analyze,
  namedEffects,
  type Analysis,
  type Effect,
  type NamedEffects,
  type ShellCommand,
  type Word,
} from "@bylaw/shell";
import { bareName, baseName } from "../compile/program-name.ts";

/** One simple command of a shell line, with what the rules need of it. Each answer is worked out once. */
export class LinePart {
  readonly words: readonly Word[];
  /** How often the line has this command. */
  readonly times: number;
  /** Positions of the arguments that make it do more than its name says. */
  readonly hazards: ShellCommand["hazards"];
  readonly effects: readonly Effect[];
  /** Its files are of another machine or of a container. */
  readonly remote: boolean;
  /** Its later words could be a command that it runs. */
  readonly carries: boolean;
  /** Positions from which a denied command may start. */
  readonly starts: number;
  /** Why it cannot be known what it runs or does. */
  readonly unknown: string | undefined;
  /** It is only text that looks like a command: what forbids or asks is about it, and nothing has to allow it. */
  readonly suspect: boolean;
  /** Nothing but its words is left for an allow to cover. */
  readonly plain: boolean;
  /** Nothing of it is unknown, and no variable steers it; it may redirect its output. */
  readonly clear: boolean;
  /** Like `plain`, but it may send output to files. */
  readonly writesOutput: boolean;
  /** Some word or effect is not known, so that a deny may match without being sure of it. */
  readonly doubtful: boolean;
  readonly #command: ShellCommand;
  #named: NamedEffects | undefined = undefined;
  #programs: readonly ProgramName[] | undefined = undefined;
  #startsByName: ReadonlyMap<string | undefined, readonly number[]> | undefined = undefined;
  #text: string | undefined = undefined;
  #quoted: string | undefined = undefined;

  constructor(command: ShellCommand, whole: { readonly known: boolean }, times = 1) {
    const { argv, hazards, effects, remote, carries, unknown, redirections, assignments } = command;
    this.#command = command;
    this.words = argv;
    this.times = times;
    this.hazards = hazards;
    this.effects = effects;
    this.remote = remote;
    this.carries = carries;
    this.suspect = command.origin === "sight";
    this.starts = carries ? argv.length : Math.min(1, argv.length);
    this.unknown = unknown[0]?.what;
    this.clear =
      whole.known && this.unknown === undefined && assignments.every(({ harmless }) => harmless);
    this.plain = this.clear && !redirections.some(({ writes }) => writes);
    this.writesOutput =
      this.clear && !redirections.some(({ writes, connects }) => writes && connects === true);
    this.doubtful =
      remote || this.starts > MANY_STARTS || argv.some(isOpen) || effects.some(isRegion);
  }

  /** What it does, by names. */
  get named(): NamedEffects {
    return (this.#named ??= namedEffects(this.#command));
  }

  /** The names of the programs that its words may start: as written, without folders, and up to a blank. */
  get programs(): readonly ProgramName[] {
    this.#programs ??= this.words.slice(0, this.starts).flatMap(namesOf);
    return this.#programs;
  }

  /** Positions from which a command of this program may start, and some others; without a program all of them. */
  startsOf(program: string | undefined): readonly number[] {
    if (this.starts <= 1) return this.starts === 0 ? [] : FIRST;
    const byName = (this.#startsByName ??= this.#indexStarts());
    return byName.get(program?.toLowerCase()) ?? [];
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

  /** The words with one blank between them; `…` for what is not known. */
  get text(): string {
    this.#text ??= this.words
      .map((word, at) => (at === 0 ? bareName(shown(word)) : shown(word)))
      .join(" ");
    return this.#text;
  }

  /** The same with quotes around a word that is empty or has a blank in it, so that one word never reads as two. */
  get quoted(): string {
    this.#quoted ??= this.words
      .map((word, at) => quoted(at === 0 ? bareName(shown(word)) : shown(word)))
      .join(" ");
    return this.#quoted;
  }
}

const FIRST: readonly number[] = [0];

/** A name under which rules about a program may stand. */
interface ProgramName {
  readonly name: string;
  readonly lower: string;
  /** It is what a name begins with, up to its first blank. */
  readonly head: boolean;
}

function namesOf({ text }: Word): readonly ProgramName[] {
  if (text === undefined) return [];
  const whole = text.includes("/") ? [...new Set([text, baseName(text)])] : [text];
  const heads = whole
    .filter((name) => name.includes(" "))
    .map((name) => name.slice(0, name.indexOf(" ")));
  const named = (head: boolean) => (name: string) => ({ name, lower: name.toLowerCase(), head });
  return [...whole.map(named(false)), ...heads.map(named(true))];
}

/** A word as a part of a text in which no blank is its own. */
export const quoted = (text: string): string =>
  text === "" || /\s/.test(text) ? `'${text}'` : text;

// More words than this could each begin a command: a regular expression may not have looked at all of them.
const MANY_STARTS = 64;

/** The text of a command from one word on. */
interface CommandText {
  /** All of it, or what is known up to the first word that is not. */
  readonly head: string;
  /** What is known after the last word that is not; undefined where all is known. */
  readonly tail: string | undefined;
}

/** The text from a word on, under a name of its program. `quotes`: words that are empty or have a blank in them stand in quotes. */
export function textFrom(
  words: readonly Word[],
  from: number,
  program: string,
  { quotes }: { readonly quotes: boolean },
): CommandText {
  let head = program;
  let tail: string | undefined;
  for (let at = from + 1; at < words.length; at++) {
    const word = words[at];
    if (word?.text !== undefined && word.single) {
      const text = quotes ? quoted(word.text) : word.text;
      if (tail === undefined) head += ` ${text}`;
      else tail += ` ${text}`;
      continue;
    }
    const pieces = word?.pieces ?? [];
    const [first] = pieces;
    const last = pieces.at(-1);
    // A word that may be none takes its blank along.
    if (tail === undefined && word?.single === true)
      head += ` ${typeof first === "string" ? first : ""}`;
    tail = typeof last === "string" && word?.single === true ? last : "";
  }
  return { head, tail };
}

const isOpen = (word: Word): boolean => word.text === undefined || !word.single;

function isRegion(effect: Effect): boolean {
  if (effect.kind === "network") return effect.host === undefined;
  if (!("path" in effect)) return false;
  return (
    effect.below === true || effect.path.text === undefined || effect.path.pattern !== undefined
  );
}

/** A word as text, with `…` for what is not known. */
export const shown = ({ text, pieces }: Word): string =>
  text ?? pieces.map((piece) => (typeof piece === "string" ? piece : "…")).join("");

/** A shell line as the rules see it. */
export interface LineFacts {
  /** At least one: a line without commands has one of no words. */
  readonly parts: readonly LinePart[];
  /** Why the line as a whole cannot be known. */
  readonly unknown: string | undefined;
  /** It is so large that nobody has looked for what a rule denies. */
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

// Agents run the same few lines again and again. What was read of a line is kept from its second time on: keeping that of
// every line nearly doubles the time of a new one. Longer lines would be much to keep.
const KEPT_LINES = 512;
const KEPT_LENGTH = 512;
const kept = new Map<string, LineFacts>();
const seen = new Set<string>();
// One decision asks about its line several times, however long it is.
let last: { readonly line: string; readonly facts: LineFacts } | undefined;

/** Reads a shell line. `beside`: why the call cannot be known, whatever the line says. */
export function readLine(line: string, beside: string | undefined): LineFacts {
  if (beside !== undefined) return factsOf(analyze(line), beside);
  if (last?.line !== line) last = { line, facts: kept.get(line) ?? readAndKeep(line) };
  return last.facts;
}

function readAndKeep(line: string): LineFacts {
  const facts = readNew(line);
  if (line.length > KEPT_LENGTH) return facts;
  // Both are emptied at once, so that no line has to be marked as used.
  if (seen.has(line)) {
    if (kept.size >= KEPT_LINES) kept.clear();
    kept.set(line, facts);
  } else {
    if (seen.size >= KEPT_LINES) seen.clear();
    seen.add(line);
  }
  return facts;
}

function readNew(line: string): LineFacts {
  const analysis = analyze(line);
  return factsOf(
    analysis,
    analysis.unknown[0]?.what ?? (line.trim() === "" ? "line without a command" : undefined),
  );
}

function factsOf({ commands, unknown }: Analysis, why: string | undefined): LineFacts {
  const whole = { known: why === undefined };
  return {
    parts: partsOf(commands.length === 0 ? [NO_COMMAND] : commands, whole),
    unknown: why,
    tooLarge: unknown.some(({ code }) => code === "size"),
  };
}

// Short lines hardly repeat a command, and are told apart for nothing.
const MANY_COMMANDS = 64;

// Rules say the same of equal commands, so each of them is judged once.
function partsOf(
  commands: readonly ShellCommand[],
  whole: { readonly known: boolean },
): readonly LinePart[] {
  if (commands.length <= MANY_COMMANDS)
    return commands.map((command) => new LinePart(command, whole));
  const equal = new Map<string, { readonly command: ShellCommand; times: number }>();
  for (const command of commands) {
    const key = JSON.stringify(command);
    const one = equal.get(key);
    if (one === undefined) equal.set(key, { command, times: 1 });
    else one.times += 1;
  }
  return [...equal.values()].map(({ command, times }) => new LinePart(command, whole, times));
}

/** The commands of text that may be a line: denies and asks are about them, and nothing has to allow them. */
export function suspectParts(line: string): readonly LinePart[] {
  return analyze(line).commands.map(
    (command) => new LinePart({ ...command, origin: "sight" }, { known: true }),
  );
}

/** What stands for a line that is no text. */
export function unreadable(why: string): LineFacts {
  return { parts: [new LinePart(NO_COMMAND, { known: false })], unknown: why, tooLarge: false };
}
