import type { CommandNode } from "./syntax.ts";

const BLANK = /^(?:[ \t]|\\\n)*$/;
// What may stand after a simple command.
const NEXT = /(?:[ \t]|\\\n)*(?:$|[\n;&|)`#])/y;
const DESCRIPTOR = /(?:^|[<>|&\s-])(?:\{\w+\}|\d+)[<>]$/;
const QUOTED = /^(?:[^'"\\$`]|`[^`]*`|\\.|'[^']*'|"(?:[^"\\]|\\.)*"|\$(?!\[))*$/s;

/**
 * Text beside the words of a command that the tree does not have: bash refuses it, and the parser drops it. Undefined where there is
 * none, or where the command is not of this source.
 */
export function gapOf(source: string, { pos, end, name, prefix, suffix }: CommandNode): string | undefined {
  const first = name ?? prefix[0];
  if (first === undefined || (name !== undefined && source.slice(name.pos, name.end) !== name.text)) return undefined;
  let from = pos;
  for (const part of [...prefix, ...(name === undefined ? [] : [name]), ...suffix]) {
    if (part.pos > from && !BLANK.test(source.slice(from, part.pos))) return source.slice(from, part.pos);
    from = Math.max(from, part.end);
    if (part.type === "Word" || part.type === "Assignment") continue;
    // `>> {x}> f`, `> 2> f`: bash takes the braces or the number for the next redirection.
    const text = source.slice(part.pos, part.end + 1);
    if (!part.operator.endsWith("&") && DESCRIPTOR.test(text)) return text;
    if (name === undefined && part.type === "Redirect" && /^\w+\[.*\]\+?=/s.test(part.target?.text ?? "")) return text;
    if (part.type === "HereDoc" && part.delimiter !== undefined && !QUOTED.test(part.delimiter.text)) return part.delimiter.text;
  }
  NEXT.lastIndex = Math.max(from, end);
  return NEXT.test(source) ? undefined : source.slice(from, from + 20);
}
