import type { Word } from "../analysis.ts";
import { noteSet } from "../expand/assignments.ts";
import { visitWord } from "../expand/expansions.ts";
import { appendWords } from "../expand/words.ts";
import { LIMITS } from "../limits.ts";
import type { Node, WordNode } from "../parse/syntax.ts";
import { ANYWHERE } from "../effects/working-folder.ts";
import { together } from "./walk-pending.ts";
import { changesHere, type CommandContext, type WalkState } from "./walk-state.ts";

const DIGITS = /^\d+$/;
// `seq` prints only numbers.
const NUMBERS = /^(?:\d+|\{\d+\.\.\d+(?:\.\.\d+)?\}|\$\(seq(?: \d+){1,3}\))$/;

/** Reads the words of a loop. Returns none if there are too many to walk the body once for each. */
export function readLoopWords(
  walk: WalkState,
  { name, wordlist = [] }: Extract<Node, { type: "For" | "Select" }>,
): readonly Word[] {
  const number = wordlist.length > 0 && wordlist.every(({ text }) => NUMBERS.test(text));
  noteSet(walk, name.text, { number });
  const words: Word[] = [];
  if (number && !(wordlist.length <= LIMITS.rounds && wordlist.every(isDigits))) {
    for (const word of wordlist) visitWord(walk, word);
    words.push({ text: undefined, pieces: [{ hole: "number" }], single: true });
  } else for (const word of wordlist) appendWords(walk, word, words);
  // No command has these words.
  walk.tildes = undefined;
  return words.length <= LIMITS.rounds ? words : [];
}

const isDigits = ({ text }: WordNode): boolean => DIGITS.test(text);

/** Walks a loop. If it changes the working directory, its next round starts in another directory. */
export function walkLoop(
  walk: WalkState,
  place: CommandContext,
  body: (inside: CommandContext) => void,
): void {
  const first = walk.commands.length;
  const before = changesHere(walk);
  body(place.once ? { ...together(place), once: false } : place);
  walk.onSuccess = walk.onFailure = place.folder;
  if (changesHere(walk) === before) return;
  for (let at = first; at < walk.folders.length; at++) walk.folders[at] = ANYWHERE;
  walk.onSuccess = walk.onFailure = ANYWHERE;
}
