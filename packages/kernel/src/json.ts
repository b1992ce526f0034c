import type { Json, JsonObject } from "../contract/index.d.ts";
import { BylawError } from "./errors.ts";

/** How deep data may nest, and how many values one subject may hold. */
export const JSON_LIMITS = { depth: 100, values: 1_000_000 } as const;

/**
 * A deep-frozen copy of plain data. Throws BYLAW_JSON_INVALID for what JSON cannot say or two readers could read
 * differently: prototypes, `__proto__` keys, cycles, functions, dates, lone surrogates, numbers that are not finite.
 */
export const freezeJson = (value: unknown): Json => copy(value, 0, { values: 0 });

function copy(value: unknown, depth: number, count: { values: number }): Json {
  if (typeof value === "string") {
    if (!value.isWellFormed()) refuse("a lone surrogate");
    return value;
  }
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return value as Json;
  if (typeof value !== "object") refuse(`a ${typeof value} that JSON cannot say`);
  if (depth >= JSON_LIMITS.depth) refuse(`a cycle, or more than ${JSON_LIMITS.depth} levels`);
  if (++count.values > JSON_LIMITS.values) refuse(`more than ${JSON_LIMITS.values} values`);
  if (!isPlain(value)) refuse("an object with a prototype");
  if (Array.isArray(value)) {
    if ((count.values += value.length) > JSON_LIMITS.values) refuse(`more than ${JSON_LIMITS.values} values`);
    const list: Json[] = [];
    // By index: an iterator could answer differently the second time.
    for (let index = 0; index < value.length; index += 1) list.push(copy(value[index], depth + 1, count));
    return Object.freeze(list);
  }
  const result: Record<string, Json> = {};
  for (const key in value) {
    if (!owns(value, key)) continue;
    if (key === "__proto__" || !key.isWellFormed()) refuse("a key `__proto__` or with a lone surrogate");
    const item: unknown = (value as Record<string, unknown>)[key];
    if (++count.values > JSON_LIMITS.values) refuse(`more than ${JSON_LIMITS.values} values`);
    if (item !== undefined) result[key] = copy(item, depth + 1, count);
  }
  return Object.freeze(result);
}

function refuse(what: string): never {
  throw new BylawError({ code: "BYLAW_JSON_INVALID", message: `Unexpected data with ${what}, expected plain JSON` });
}

// Inside of `for in` it costs nothing, other than `Object.hasOwn`; both together are the quickest way to the keys of a small object.
export const owns = (value: object, key: string): boolean => Object.prototype.hasOwnProperty.call(value, key);

/** Whether an object or array is one that nobody made a class for. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === (Array.isArray(value) ? Array.prototype : Object.prototype) || prototype === null;
}

/** Tells a JSON object from an array, a scalar and null. */
export const isJsonObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** The canonical text of RFC 8785: keys sorted by UTF-16 code unit, no white space, numbers as ECMAScript writes them. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`).join(",")}}`;
}

/** `sha256:` and 64 hexadecimal digits over the UTF-8 bytes of the canonical text. */
export async function digestJson(value: Json): Promise<string> {
  const hash = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonicalJson(value)));
  return `sha256:${Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** The fields that have a value, for objects whose optional fields must be absent rather than undefined. */
export function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
