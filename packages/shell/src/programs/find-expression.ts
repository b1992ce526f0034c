import type { Word } from "../analysis.ts";
import { prefix } from "./word-text.ts";

const split = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Primaries of `find` that take one word. */
export const TAKES =
  split(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -maxdepth -mindepth
  -mtime -atime -ctime -Bmin -Bnewer -mmin -amin -cmin -Btime -user -group -uid -gid -perm -fstype -inum -links -used -regextype -printf
  -context -flags -depth-n -mnewer`);
const TAKE_ONE_MORE = split(
  "-newer -anewer -cnewer -samefile -files0-from -fprint -fprint0 -fls -fprintf",
);
/** Primaries that run a command. */
export const RUNS = split("-exec -execdir -ok -okdir");
const PRINTS = split("-print -print0 -printf -ls");
const MAX_NAMES = 8;
const MAX_DEPTH = 16;

/** What is known about the files for which a point of the expression is reached. */
export interface Matched {
  /** The name of each file matches one of these globs. Undefined: any name. */
  readonly only: readonly string[] | undefined;
  /** Whether none of the files is a link. */
  readonly plain: boolean;
}

const ALL: Matched = { only: undefined, plain: false };

export interface FindExpression {
  /** The files for which each action runs, by the position of the action's word. */
  readonly actions: ReadonlyMap<number, Matched>;
  /** The files that are printed if there is no action. */
  readonly result: Matched;
}

/** Reads the expression from a position on. A part that cannot be read matches everything. */
export function readExpression(argv: readonly Word[], from: number): FindExpression {
  const reader = new ExpressionReader(argv, from);
  const result = reader.read();
  return result === undefined ? { actions: new Map(), result: ALL } : result;
}

class ExpressionReader {
  readonly #argv: readonly Word[];
  readonly #actions = new Map<number, Matched>();
  #at: number;

  constructor(argv: readonly Word[], from: number) {
    this.#argv = argv;
    this.#at = from;
  }

  /** Undefined if a bracket is missing. */
  read(): FindExpression | undefined {
    const result = this.#list(ALL, 0);
    return result === undefined || this.#at < this.#argv.length
      ? undefined
      : { actions: this.#actions, result };
  }

  // Reads alternatives, each of which begins with the files that reach the bracket.
  #list(before: Matched, depth: number): Matched | undefined {
    if (depth > MAX_DEPTH) return undefined;
    let found = this.#chain(before, depth);
    while (found !== undefined && /^(-o|-or|,)$/.test(this.#argv[this.#at]?.text ?? "")) {
      this.#at++;
      const other = this.#chain(before, depth);
      found = other === undefined ? undefined : eitherOf(found, other);
    }
    return found;
  }

  #chain(before: Matched, depth: number): Matched | undefined {
    let now = before;
    let negated = false;
    for (; this.#at < this.#argv.length; this.#at++) {
      const word = this.#argv[this.#at];
      const name = word?.text;
      if (name === "-o" || name === "-or" || name === "," || name === ")") return now;
      if (name === "-a" || name === "-and") continue;
      if (name === "!" || name === "-not") {
        negated = !negated;
        continue;
      }
      if (name === "(") {
        this.#at++;
        const inner = this.#list(now, depth + 1);
        if (inner === undefined || this.#argv[this.#at]?.text !== ")") return undefined;
        if (!negated) now = inner;
      } else now = this.#primary(name, now, negated);
      negated = false;
    }
    return now;
  }

  #primary(name: string | undefined, now: Matched, negated: boolean): Matched {
    if (name === undefined) return now;
    const value = this.#argv[this.#at + 1];
    if (RUNS.has(name)) {
      this.#actions.set(this.#at, now);
      this.#at = endOfCommand(this.#argv, this.#at);
    } else if (PRINTS.has(name) || name === "-delete") this.#actions.set(this.#at, now);
    if (TAKES.has(name) || TAKE_ONE_MORE.has(name) || /^-newer..$/.test(name))
      this.#at += name === "-fprintf" ? 2 : 1;
    if (negated || value === undefined) return now;
    if (name === "-type") return { ...now, plain: now.plain || /^[fd,]+$/.test(value.text ?? "l") };
    if (name === "-name" || name === "-iname")
      return { ...now, only: now.only ?? globOf(name, value) };
    return now;
  }
}

// A glob of wildcards alone excludes nothing.
function globOf(option: string, { text }: Word): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const glob = text.replace(/\[[^[\]]+\]|\?/g, "*");
  if (/^\**$|[\\/[\]]/.test(glob)) return undefined;
  return option === "-iname" && glob !== glob.toLowerCase() ? [glob, glob.toLowerCase()] : [glob];
}

function eitherOf(one: Matched, other: Matched): Matched {
  const plain = one.plain && other.plain;
  if (one.only === undefined || other.only === undefined) return { only: undefined, plain };
  const only = [...new Set([...one.only, ...other.only])];
  return { only: only.length > MAX_NAMES ? undefined : only, plain };
}

/** The position of the `;` or `+` that ends the command of an action. If there is none, the number of words. */
export function endOfCommand(argv: readonly Word[], at: number): number {
  let end = at + 1;
  while (
    end < argv.length &&
    argv[end]?.text !== ";" &&
    !(argv[end]?.text === "+" && argv[end - 1]?.text === "{}")
  )
    end++;
  return end;
}

/** Whether a word begins the expression of a command. */
export function beginsExpression(word: Word | undefined): boolean {
  if (word === undefined) return true;
  const start = prefix(word);
  return (
    (start.startsWith("-") && word.text !== "-f" && word.text !== "--") ||
    start === "(" ||
    start === "!" ||
    start === ","
  );
}
