import { LIMITS } from "../limits.ts";
import { isRefused } from "../parse/refused-text.ts";
import type { ParsedScript, WordPart } from "../parse/syntax.ts";
import { PIPE } from "../programs/program-reading.ts";
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

/** Walks the substitutions in the last words. */
export function walkPending(walk: WalkState, place: CommandContext, script: WalkScript): void {
  const { pending } = walk;
  if (pending === undefined) return;
  walk.pending = undefined;
  const inside: CommandContext = { ...together(place), origin: "substitution", outer: undefined };
  for (const part of pending) {
    if (walk.full) return;
    walkSubstitution(walk, part, inside, script);
  }
}

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
