import { ARGUMENTS_ARE_DATA, INLINE_CODE, KEYWORDS, RUNS_ANOTHER, risks } from "./programs.ts";

/** What is known about one shell line. */
export type CommandReading =
  | {
      readonly argv: readonly string[];
      /** Positions of words that make the program write, delete, load code or the like: an allow must spell them out. */
      readonly risky: readonly number[];
      /** Whether the words after the program could be a command that it runs. */
      readonly carries: boolean;
    }
  | {
      /** Why the line is not understood. It is never allowed. */
      readonly unknown: string;
      /** The words, where they are in plain sight. */
      readonly argv?: readonly string[];
    };

/** Longest line that is looked at, in UTF-16 code units. */
const MAX_LINE = 16_384;
const MAX_WORDS = 256;

const WORD = 1;
const BLANK = 2;
const KINDS = kinds();

// What each ASCII character is to a plain line; 0: not plain.
function kinds(): Uint8Array {
  const table = new Uint8Array(128);
  for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-") table[char.charCodeAt(0)] = WORD;
  for (const char of " \t") table[char.charCodeAt(0)] = BLANK;
  return table;
}

/**
 * Reads a line that is one simple command without any shell metacharacter: words of letters, digits and `_@%+=:,./-`,
 * between blanks. Everything else is unknown.
 */
export function readCommand(line: string): CommandReading {
  if (line.length > MAX_LINE) return { unknown: `a line of more than ${MAX_LINE} characters` };
  const argv = split(line);
  if (argv === undefined) return { unknown: "shell syntax" };
  const [first] = argv;
  if (first === undefined) return { unknown: "an empty command" };
  if (first.includes("=")) return { unknown: "an assignment" };
  if (first.startsWith("%")) return { unknown: "a job or an expansion" };
  if (KEYWORDS.has(first)) return { unknown: `the shell keyword \`${first}\`` };
  if (first.startsWith("-")) return { unknown: "an option for a program" };
  const program = baseName(first);
  if (program === "" || program === "..") return { unknown: "a folder for a program" };
  if (RUNS_ANOTHER.has(program)) return { unknown: `\`${program}\`, which runs another program`, argv };
  const { runs, risky } = risks(program, argv);
  if (runs) return { unknown: `an argument that makes \`${program}\` run another program`, argv };
  if (INLINE_CODE.get(program)?.test(argv.slice(1).join(" ")) === true) {
    return { unknown: `code in the arguments of \`${program}\``, argv };
  }
  const carries = !ARGUMENTS_ARE_DATA.has(program);
  if (carries && argv.length > MAX_WORDS) return { unknown: `more than ${MAX_WORDS} words`, argv };
  return { argv, risky, carries };
}

// The words of a plain line; undefined when a character is not plain.
function split(line: string): readonly string[] | undefined {
  const argv: string[] = [];
  let from = -1;
  for (let at = 0; at < line.length; at++) {
    const kind = KINDS[line.charCodeAt(at)];
    if (kind === WORD) {
      if (from < 0) from = at;
    } else if (kind !== BLANK) return undefined;
    else if (from >= 0) {
      argv.push(line.slice(from, at));
      from = -1;
    }
  }
  if (from >= 0) argv.push(line.slice(from));
  return argv;
}

/** The last part of a program's path. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
