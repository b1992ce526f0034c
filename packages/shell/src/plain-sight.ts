import type { Unknown, Word } from "./analysis.ts";
import { emptyDraft } from "./command.ts";
import { TOP, type Draft } from "./context.ts";
import { INHERITED } from "./program.ts";
import { isProgram, readProgram } from "./programs/index.ts";

const BOUNDARY = /[\n\r;&|(){}<>`\u2028\u2029]+/;
const BLANK = /[\s\0\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+/;
const LONGEST_READ = 64;

/**
 * Commands as a hasty reader would see them in a line that cannot be known: a denied one must not hide behind a mistake or behind
 * length. Takes time in proportion to the text.
 */
export function inPlainSight(text: string, reason: Unknown): Draft[] {
  return commandsIn(text).map((argv) => {
    const draft = emptyDraft(TOP);
    draft.argv = argv;
    draft.carries = true;
    draft.unknown = [reason];
    if (argv.length <= LONGEST_READ) {
      const { effects, hazards } = readProgram(argv, INHERITED);
      draft.effects = effects;
      draft.hazards = hazards;
    }
    return draft;
  });
}

/** Commands that stand in text which may be run, and may be no more than prose. */
export function suspects(text: string): Draft[] {
  return commandsIn(text)
    .filter(([first]) => first?.text?.startsWith("-") !== true)
    .map(suspect);
}

/** A command that may be run. */
export function suspect(argv: readonly Word[]): Draft {
  const draft = emptyDraft({ ...TOP, origin: "sight" });
  draft.argv = argv;
  if (argv.length > LONGEST_READ) return draft;
  const { effects, hazards, runs, unknown, carries } = readProgram(argv, INHERITED);
  draft.effects = effects;
  draft.hazards = hazards;
  // The words of prose name no programs.
  draft.carries = runs.length > 0 || (carries && isProgram(argv[0]?.text)) || unknown.length > 0;
  return draft;
}

function commandsIn(text: string): Word[][] {
  const commands: Word[][] = [];
  const seen = new Set<string>();
  for (const part of text.split(BOUNDARY)) {
    const key = part.trim();
    if (key === "" || seen.has(key)) continue;
    seen.add(key);
    const argv: Word[] = [];
    for (const raw of key.split(BLANK)) {
      const word = raw.replace(/\\(.)|["'\\]/gs, "$1");
      if (word !== "") argv.push(wordOf(word));
    }
    // Assignments and reserved words before the program.
    while (argv.length > 1 && /^([A-Za-z_]\w*=.*|!|if|then|elif|else|while|until|do|time|coproc|function)$/s.test(argv[0]?.text ?? "")) {
      argv.shift();
    }
    if (argv.length > 0) commands.push(argv);
  }
  return commands;
}

function wordOf(text: string): Word {
  const dollar = text.indexOf("$");
  if (dollar < 0) return { text, pieces: [text], single: true };
  const pieces = dollar === 0 ? [{ hole: "any" } as const] : [text.slice(0, dollar), { hole: "any" } as const];
  return { text: undefined, pieces, single: false };
}
