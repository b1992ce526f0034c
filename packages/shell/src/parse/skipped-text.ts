import { isRefusedWord, refusedArray, refusedRedirect } from "./refused-text.ts";
import type { CommandNode } from "./syntax.ts";

const BLANK = /^(?:[ \t]|\\\n)*$/;
// The text that may follow a simple command.
const NEXT = /(?:[ \t]|\\\n)*(?:$|[\n;&|)`#])/y;

/**
 * Finds text in a command that the parser drops and bash rejects. Undefined if there is none, or if the command is not from this
 * source.
 */
export function skippedText(
  source: string,
  { pos, end, name, prefix, suffix }: CommandNode,
): string | undefined {
  const first = name ?? prefix[0];
  if (first === undefined || (name !== undefined && source.slice(name.pos, name.end) !== name.text))
    return undefined;
  let from = pos;
  for (const part of [...prefix, ...(name === undefined ? [] : [name]), ...suffix]) {
    if (part.pos > from && !BLANK.test(source.slice(from, part.pos)))
      return source.slice(from, part.pos);
    from = Math.max(from, part.end);
    if (part.type === "Assignment") {
      const refused = refusedArray(part);
      if (refused !== undefined) return refused;
    }
    if (part.type === "Word" && isRefusedWord(part.text)) return part.text;
    if (part.type === "Word" || part.type === "Assignment") continue;
    const refused = refusedRedirect(source, part);
    if (refused !== undefined) return refused;
    if (
      name === undefined &&
      part.type === "Redirect" &&
      /^\w+\[.*\]\+?=/s.test(part.target?.text ?? "")
    )
      return part.target?.text;
  }
  NEXT.lastIndex = Math.max(from, end);
  return NEXT.test(source) ? undefined : source.slice(from, from + 20);
}
