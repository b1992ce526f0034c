import type { Analysis, Word } from "../analysis.ts";
import { NOTHING } from "./walk-state.ts";
import { INHERITED } from "../programs/program-reading.ts";
import { readProgram } from "../programs/index.ts";
import { STATE_BUILTINS } from "./state-builtins.ts";

const WORD = 1;
const BLANK = 2;

// Characters that are literal everywhere. All others need the parser.
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  return /[\w@%+:,./=^-]/.test(sign) ? WORD : sign === " " || sign === "\t" ? BLANK : 0;
});

const RESERVED: ReadonlySet<string> = new Set(
  "if then elif else fi for in while until do done case esac select function time coproc".split(
    " ",
  ),
);

const CHANGES_STATE: ReadonlySet<string> = new Set(STATE_BUILTINS);

const MAX_LENGTH = 1_024;
const EQUALS = 61;
// In zsh, `=name` is the path of a program or file.
const isMore = (code: number): boolean => code !== EQUALS && KINDS[code] === WORD;

/**
 * Analyzes a line that is one program with literal words, as most lines are, without the parser. The result is the same as with
 * it. Undefined for any other line.
 */
export function analyzePlain(line: string): Analysis | undefined {
  const argv = wordsOf(line);
  const name = argv?.[0]?.text;
  if (
    argv === undefined ||
    name === undefined ||
    name.includes("=") ||
    RESERVED.has(name) ||
    CHANGES_STATE.has(name)
  )
    return undefined;
  const { runs, hazards, effects, carries, unknown } = readProgram(argv, INHERITED);
  // Commands that the program runs need the full analysis.
  if (runs.length > 0) return undefined;
  const command = {
    argv,
    assignments: NOTHING,
    redirections: NOTHING,
    origin: "line",
    remote: false,
    hazards,
    effects,
    carries,
    unknown,
  } as const;
  return { commands: [command], unknown: NOTHING };
}

function wordsOf(line: string): Word[] | undefined {
  const { length } = line;
  if (length > MAX_LENGTH) return undefined;
  const words: Word[] = [];
  let start = -1;
  for (let at = 0; at < length; at++) {
    const code = line.charCodeAt(at);
    const kind = code < 128 ? KINDS[code] : 0;
    if (kind === WORD) {
      if (start < 0) {
        if (code === EQUALS && isMore(line.charCodeAt(at + 1))) return undefined;
        start = at;
      }
    } else if (kind === BLANK) {
      if (start >= 0) words.push(wordOf(line.slice(start, at)));
      start = -1;
    } else return undefined;
  }
  if (start >= 0) words.push(wordOf(line.slice(start)));
  return words;
}

function wordOf(text: string): Word {
  return { text, pieces: [text], single: true };
}
