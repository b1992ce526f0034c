import { JSON_LIMITS, isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { skim } from "./skim.ts";

/** The record on a line, or why the line is not a record. */
export type ParsedLine = { readonly record: JsonObject } | LineFault;

export interface LineFault {
  /** Completes the sentence "The line is not one JSON object: …". */
  readonly fault: string;
  /** Whether the line could be the start of a record that was cut off. */
  readonly cut: boolean;
}

/** The message for a line that is not one JSON object. */
export const notAnObject = (fault: string): string => `The line is not one JSON object: ${fault}.`;

export const isBlankLine = (text: string): boolean => /^[ \t\r]*$/.test(text);

/**
 * Parses one line strictly: one object, each key once, nothing that two parsers could read differently. Never throws. Takes time linear in
 * the length of the line.
 */
export function parseLine(text: string): ParsedLine {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return unreadable(text);
  }
  if (!isJsonObject(value)) return { fault: `it is ${kindOf(value)}`, cut: false };
  const { keys, depth } = skim(text);
  // The event adds one level around its details, which may be as deep as any JSON.
  if (depth > JSON_LIMITS.depth + 1)
    return { fault: `it has more than ${JSON_LIMITS.depth + 1} levels`, cut: false };
  const found: Found = { keys: 0, infinite: false, halved: false, prototype: false };
  // Half of a surrogate pair may be written as an escape, which a check of the line's text does not find.
  look(value, found, text.includes("\\u") || !text.isWellFormed());
  if (found.keys !== keys) return { fault: "it has a key twice", cut: false };
  if (found.prototype) return { fault: "it has the key `__proto__`", cut: false };
  if (found.infinite) return { fault: "a number is too large", cut: false };
  if (found.halved) return { fault: "a text has a lone surrogate", cut: false };
  return { record: value };
}

interface Found {
  keys: number;
  infinite: boolean;
  halved: boolean;
  prototype: boolean;
}

function look(value: Json, found: Found, texts: boolean): void {
  if (typeof value === "string") {
    if (texts && !value.isWellFormed()) found.halved = true;
  } else if (typeof value === "number") {
    if (!Number.isFinite(value)) found.infinite = true;
  } else if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) look(item, found, texts);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      found.keys += 1;
      if (key === "__proto__") found.prototype = true;
      if (texts && !key.isWellFormed()) found.halved = true;
      look(value[key] ?? null, found, texts);
    }
  }
}

function unreadable(text: string): LineFault {
  if (text.startsWith("\ufeff")) return { fault: "it starts with a byte order mark", cut: false };
  const { closed_at } = skim(text);
  const rest = closed_at === -1 ? "" : text.slice(closed_at + 1).trim();
  if (rest !== "" && text.trimStart().startsWith("{")) {
    // After a power loss, a disk may hold zeros in place of unwritten data.
    const zeros = /^\0+$/.test(rest);
    return {
      fault: zeros
        ? "NUL bytes follow the object"
        : `text follows the object at column ${closed_at + 2}`,
      cut: zeros,
    };
  }
  if (text.includes("\0")) return { fault: "it has NUL bytes", cut: true };
  return {
    fault: closed_at === -1 ? "it ends too early" : "it is not JSON",
    cut: closed_at === -1,
  };
}

function kindOf(value: Json): string {
  if (value === null) return "`null`";
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "text" : `a ${typeof value}`;
}
