import type { Json } from "@bylaw/kernel";
import type { JsonNode } from "./jsonc.ts";

/** Replaces the text from `start` to `end` with `text`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((left, right) => right.start - left.start)
    .reduce(
      (result, { start, end, text: put }) => result.slice(0, start) + put + result.slice(end),
      text,
    );
}

/** The edit that adds a member at the end of an object or array, and changes nothing else. */
export function addMember(text: string, into: JsonNode, value: Json, key?: string): Edit {
  const unit = unitOf(text);
  const line = text.includes("\r\n") ? "\r\n" : "\n";
  const last = into.members?.at(-1);
  const outer = /^[ \t]*/.exec(lineOf(text, into.start))?.[0] ?? "";
  const inner = last === undefined ? outer + unit : indentOf(text, last.start, outer + unit);
  const shown = JSON.stringify(value, undefined, unit).replaceAll("\n", `${line}${inner}`);
  const member = `${line}${inner}${key === undefined ? "" : `${JSON.stringify(key)}: `}${shown}`;
  if (last !== undefined) return { start: last.node.end, end: last.node.end, text: `,${member}` };
  const start = into.start + 1;
  const rest = text.slice(start, into.end - 1);
  // Only blanks or comments are between the brackets.
  return rest.trim() === ""
    ? { start, end: into.end - 1, text: `${member}${line}${outer}` }
    : { start, end: start, text: member };
}

/** The edits that remove members of an object or array, with their commas and blanks. */
export function dropMembers(
  text: string,
  from: JsonNode,
  dropped: ReadonlySet<number>,
): readonly Edit[] {
  const members = from.members ?? [];
  return [...dropped].map((index): Edit => {
    const start = members[index]?.start ?? from.end;
    const next = members[index + 1];
    if (next !== undefined) return { start, end: next.start, text: "" };
    const end = members[index]?.node.end ?? from.end;
    // Finds the last member before it that stays.
    let before = index - 1;
    while (before >= 0 && dropped.has(before)) before -= 1;
    const kept = members[before]?.node.end;
    if (kept !== undefined && before === index - 1) return { start: kept, end, text: "" };
    const comma = /^\s*,/.exec(text.slice(end))?.[0].length ?? 0;
    return { start, end: end + comma, text: "" };
  });
}

const lineOf = (text: string, at: number): string =>
  text.slice(text.lastIndexOf("\n", at - 1) + 1, at);

// The blanks before a member that begins its line.
function indentOf(text: string, at: number, otherwise: string): string {
  const before = lineOf(text, at);
  return before.trim() === "" ? before : otherwise;
}

function unitOf(text: string): string {
  const [, blanks] = /^\s*\{\s*?\n([ \t]+)"/.exec(text) ?? [];
  return blanks ?? "  ";
}
