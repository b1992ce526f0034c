import type { Word } from "../analysis.ts";
import { LIMITS } from "../limits.ts";
import { isRefused } from "../parse/refused-text.ts";
import type { ParsedScript, WordPart } from "../parse/syntax.ts";
import type { Listing } from "../programs/found-files.ts";
import { PIPE } from "../programs/program-reading.ts";
import { listOfScript } from "./piped-files.ts";
import {
  inOwnProcess,
  noteLimit,
  noteUnknownLine,
  quote,
  type CommandContext,
  type WalkState,
} from "./walk-state.ts";

/** A function that walks a script in a context. */
export type WalkScript = (walk: WalkState, script: ParsedScript, place: CommandContext) => void;

/** The context of commands that run within one step, in unknown order. */
export const together = (place: CommandContext): CommandContext =>
  place.order === "after" ? { ...place, order: "with" } : place;

/** Walks the substitutions in the last words. Returns the lists of paths that they print, by the words that these replace. */
export function walkPending(
  walk: WalkState,
  place: CommandContext,
  script: WalkScript,
): ReadonlyMap<Word, Listing> {
  const { pending, substituted } = walk;
  if (pending === undefined) return NO_LISTS;
  walk.pending = walk.substituted = undefined;
  const inside: CommandContext = {
    ...{ ...together(place), origin: "substitution", outer: undefined, sets: false },
  };
  const listed = new Map<Word, Listing>();
  for (const part of pending) {
    if (walk.full) return NO_LISTS;
    const first = walk.commands.length;
    walkSubstitution(walk, part, inside, script);
    const word = substituted?.get(part);
    const list = word && "script" in part ? listOfScript(walk, part.script, first) : undefined;
    if (word !== undefined && list !== undefined) listed.set(word, list);
  }
  return listed;
}

const NO_LISTS: ReadonlyMap<Word, Listing> = new Map();

function walkSubstitution(
  walk: WalkState,
  part: WordPart,
  place: CommandContext,
  walkScript: WalkScript,
): void {
  if (part.type !== "CommandExpansion" && part.type !== "ProcessSubstitution") return;
  if ((walk.length += part.text.length) > LIMITS.length * 8)
    return noteLimit(walk, "too much text in nested substitutions");
  if (++walk.depth > LIMITS.depth)
    return noteLimit(walk, `more than ${LIMITS.depth} nested levels`);
  const { script } = part;
  if (script === undefined || isRefused(part.text))
    noteUnknownLine(walk, { code: "syntax", what: `substitution ${quote(part.text)}` });
  else if (part.type === "CommandExpansion")
    inOwnProcess(walk, () => walkScript(walk, script, place));
  else {
    // The shell does not wait for a process substitution.
    const input = part.operator === ">" ? PIPE : place.input;
    walkScript(walk, script, { ...place, input, order: "later" });
  }
  walk.depth--;
}
