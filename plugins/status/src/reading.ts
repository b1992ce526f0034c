import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";

// A log's content may come from anything, so a value of the wrong form is read as missing.

/** A text; a redacted value is shown as such. */
export function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  if (value === undefined || !isJsonObject(value) || typeof value["redacted"] !== "string")
    return undefined;
  return `[redacted ${value["redacted"]}]`;
}

/** A whole number from 0. */
export const countOf = (value: Json | undefined): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** A number from 0. */
export const amountOf = (value: Json | undefined): number =>
  typeof value === "number" && value >= 0 ? value : 0;

/** A sum of whole numbers that stays a whole number, however large they are. */
export const added = (sum: number, more: number): number =>
  Math.min(Number.MAX_SAFE_INTEGER, sum + more);

export const textsOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? (value as readonly Json[]).flatMap((item) => textOf(item) ?? []) : [];

/** An object, or an empty object in place of anything else. */
export const objectOf = (value: Json | undefined): JsonObject =>
  value !== undefined && isJsonObject(value) ? value : {};

/** The Unix seconds of an RFC 3339 time; `undefined` for anything else. */
export function secondsOf(timestamp: string): number | undefined {
  const at = Date.parse(timestamp);
  return Number.isNaN(at) ? undefined : at / 1_000;
}

/** The first `length` whole characters of a text. */
export const firstCharacters = (text: string, length: number): string =>
  text.length <= length
    ? text
    : Array.from(text.slice(0, 2 * length))
        .slice(0, length)
        .join("");

/** A number rounded to `decimals` decimals. */
export const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

/** The entries of a map as an object in which no key is special. */
export const objectFrom = <Value>(
  map: ReadonlyMap<string, Value>,
): Readonly<Record<string, Value>> => Object.fromEntries(map);
