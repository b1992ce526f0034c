import { BylawError, JSON_LIMITS, freezeJson, messageOf, type Json } from "@bylaw/kernel";
import { walkJson } from "./json-walk.ts";
import { placeOf } from "./place.ts";

/** The origin of a JSON text, and its limits. */
export interface ParseJsonOptions {
  /** The file to name in errors. */
  readonly file?: string;
  /** The most values that the text may have, at any depth. Default: `JSON_LIMITS.values`. */
  readonly values?: number;
}

/**
 * Parses JSON text and refuses anything that another parser might read differently: repeated keys (also escaped ones), `__proto__`,
 * numbers that a double changes, lone surrogates, more than `JSON_LIMITS.depth` levels, or too many values. The result is frozen.
 * Throws BYLAW_JSON_INVALID with line and column, before it builds any value.
 */
export function parseJson(
  text: string,
  { file, values = JSON_LIMITS.values }: ParseJsonOptions = {},
): Json {
  // Each value takes at least two characters.
  const plain = text.length <= Math.min(SHORT, 2 * values) ? parsePlain(text) : undefined;
  if (plain !== undefined) return plain;
  const fault = walkJson(text, values);
  if (fault !== undefined) {
    const place = placeOf(text, fault.offset);
    const where = file === undefined ? ` (line ${place.line}, column ${place.column})` : "";
    throw new BylawError({
      code: "BYLAW_JSON_INVALID",
      message: `${fault.message}${where}`,
      source: file === undefined ? undefined : { file, ...place },
    });
  }
  try {
    return freezeJson(JSON.parse(text));
  } catch (cause) {
    throw new BylawError({
      code: "BYLAW_JSON_INVALID",
      message: messageOf(cause),
      source: file === undefined ? undefined : { file },
      cause,
    });
  }
}

const SHORT = 65_536;

// Most texts are exactly as JSON.stringify writes them. If a text survives parsing and writing, it has no repeated key and no
// number that a double changes. This takes half as long as the walk.
function parsePlain(text: string): Json | undefined {
  if (text.includes("__proto__")) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return JSON.stringify(value) === text ? freezeJson(value) : undefined;
  } catch {
    // Falls through to the walk, which finds the place of the fault.
    return undefined;
  }
}
