import { BylawError, JSON_LIMITS, freezeJson, messageOf, type Json } from "@bylaw/kernel";
import { walkJson } from "./json-walk.ts";
import { placeOf } from "./place.ts";

/** Where the text comes from, and how much of it there may be. */
export interface ParseJsonOptions {
  /** For errors. */
  readonly file?: string;
  /** How many values the text may hold, at any depth. Default: `JSON_LIMITS.values`. */
  readonly values?: number;
}

/**
 * Parses JSON text and refuses what another parser might read differently: duplicate keys (also escaped ones), `__proto__`,
 * numbers that change when a double holds them, lone surrogates, more than `JSON_LIMITS.depth` levels or too many
 * values, of which none is built. The result is frozen. Throws BYLAW_JSON_INVALID with line and column.
 */
export function parseJson(
  text: string,
  { file, values = JSON_LIMITS.values }: ParseJsonOptions = {},
): Json {
  // Two characters hold at most one value.
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

// Most texts are as JSON.stringify writes them. One that comes back as it was has each key once and no number that a double changes,
// and the two built-in functions together take half as long as the walk.
function parsePlain(text: string): Json | undefined {
  if (text.includes("__proto__")) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return JSON.stringify(value) === text ? freezeJson(value) : undefined;
  } catch {
    // The walk says what is wrong, and where.
    return undefined;
  }
}
