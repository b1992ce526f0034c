import { BylawError } from "./errors.ts";

/** Plain data, as RFC 8259 has it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** How deep data may nest, and how many values one subject may hold. */
export const JSON_LIMITS = { depth: 100, values: 1_000_000 } as const;

function refuse(message: string): never {
  throw new BylawError({ code: "BYLAW_JSON_INVALID", message });
}

/**
 * A deep-frozen copy of plain data. Throws BYLAW_JSON_INVALID for what JSON cannot say or two readers could read
 * differently: prototypes, `__proto__` keys, cycles, functions, dates, holes, lone surrogates, numbers that are not finite.
 */
export function freezeJson(value: unknown): Json {
  return copy(value, 0, { values: 0 });
}

function copy(value: unknown, depth: number, count: { values: number }): Json {
  if (typeof value === "string") {
    if (!value.isWellFormed()) refuse("Unexpected lone surrogate in a string, expected well-formed Unicode");
    return value;
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) refuse(`Unexpected number \`${value}\`, expected a finite one`);
    return value;
  }
  if (value === null || typeof value === "boolean") return value;
  if (typeof value !== "object") refuse(`Unexpected ${typeof value}, expected plain data`);
  if (depth >= JSON_LIMITS.depth) refuse(`Unexpected nesting or cycle, expected at most ${JSON_LIMITS.depth} levels`);
  if (Array.isArray(value)) return copyArray(value, depth, count);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    refuse("Unexpected object with a prototype, expected plain data");
  const result: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    if (key === "__proto__") refuse("Unexpected key `__proto__`, expected plain data");
    if (!key.isWellFormed()) refuse("Unexpected lone surrogate in a key, expected well-formed Unicode");
    const item: unknown = (value as Record<string, unknown>)[key];
    if (item === undefined) continue;
    tally(count);
    result[key] = copy(item, depth + 1, count);
  }
  return Object.freeze(result);
}

function copyArray(value: readonly unknown[], depth: number, count: { values: number }): Json {
  const result: Json[] = [];
  for (const item of value) {
    tally(count);
    result.push(copy(item, depth + 1, count));
  }
  return Object.freeze(result);
}

function tally(count: { values: number }): void {
  if (++count.values > JSON_LIMITS.values) refuse(`Unexpected size, expected at most ${JSON_LIMITS.values} values`);
}

/** Tells a JSON object from an array, a scalar and null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The canonical text of RFC 8785: keys sorted by UTF-16 code unit, no white space, numbers as ECMAScript writes them. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`).join(",")}}`;
}

/** `sha256:` and 64 hexadecimal digits over the UTF-8 bytes of the canonical text. */
export async function digestJson(value: Json): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(value));
  const hash = new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", bytes));
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
