import type { Unknown, Word } from "../analysis.ts";
import { emptyDraft } from "./read-command.ts";
import { TOP, type Draft } from "./walk-state.ts";
import { INHERITED } from "../programs/program-reading.ts";
import { isProgram, readProgram } from "../programs/index.ts";

// The minus of `>&-` ends a word.
const BOUNDARY = /[\n\r;&|(){}<>`\u2028\u2029]+(?:(?<=[<>]&)[ \t]*(?:\\\n)*-)?/;
const BLANK = /[\s\0\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+/;
const BEFORE_PROGRAM =
  /^([A-Za-z_]\w*=.*|!|if|then|elif|else|while|until|do|time|coproc|function)$/s;
const MAX_READ_LENGTH = 64;

/**
 * Finds text of an unknown line that looks like commands, so that a denied command cannot hide behind a syntax error or a limit.
 * Takes linear time. Undefined if there are more than `most`.
 */
export function commandsInText(
  text: string,
  reason: Unknown,
  most = Number.POSITIVE_INFINITY,
): Draft[] | undefined {
  const found = commandsIn(text, most);
  if (found.length > most) return undefined;
  return found.map((argv) => {
    const draft = emptyDraft(TOP);
    draft.argv = argv;
    draft.carries = true;
    draft.unknown = [reason];
    if (argv.length <= MAX_READ_LENGTH) {
      const { effects, hazards } = readProgram(argv, INHERITED);
      draft.effects = effects;
      draft.hazards = hazards;
    }
    return draft;
  });
}

// Hundreds of commands of one script may read the same text as their input.
let last: { readonly text: string; readonly commands: readonly (readonly Word[])[] } | undefined;

/** Finds commands in text that may be run or may be prose. */
export function suspects(text: string): Draft[] {
  if (last?.text !== text) last = { text, commands: commandsIn(text) };
  return last.commands.filter(([first]) => first?.text?.startsWith("-") !== true).map(suspect);
}

/** Creates a command that may be run. Its origin is `sight`. */
export function suspect(argv: readonly Word[]): Draft {
  const draft = emptyDraft({ ...TOP, origin: "sight" });
  draft.argv = argv;
  if (argv.length > MAX_READ_LENGTH) return draft;
  const { effects, hazards, runs, unknown, carries } = readProgram(argv, INHERITED);
  draft.effects = effects;
  draft.hazards = hazards;
  // The words of prose are rarely names of programs.
  draft.carries = runs.length > 0 || (carries && isProgram(argv[0]?.text)) || unknown.length > 0;
  return draft;
}

// Returns at most one command more than `most`.
function commandsIn(text: string, most = Number.POSITIVE_INFINITY): Word[][] {
  const commands: Word[][] = [];
  const seen = new Set<string>();
  for (const part of text.split(BOUNDARY)) {
    const key = part.trim();
    if (commands.length > most) break;
    if (key === "" || seen.has(key)) continue;
    seen.add(key);
    const argv: Word[] = [];
    for (const raw of key.split(BLANK)) {
      const word = raw.replace(/\\(.)|["'\\]/gs, "$1");
      if (word !== "") argv.push(wordOf(word));
    }
    // Skips assignments and reserved words before the program.
    const program = argv.findIndex(({ text = "" }) => !BEFORE_PROGRAM.test(text));
    if (argv.length > 0) commands.push(argv.slice(program < 0 ? -1 : program));
  }
  return commands;
}

function wordOf(text: string): Word {
  const dollar = text.indexOf("$");
  if (dollar < 0) return { text, pieces: [text], single: true };
  const pieces =
    dollar === 0 ? [{ hole: "any" } as const] : [text.slice(0, dollar), { hole: "any" } as const];
  return { text: undefined, pieces, single: false };
}
