import { brand } from "./brand.ts";
import { BylawError } from "./errors.ts";

/** Plain JSON data as defined by RFC 8259. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** The most levels of data, the most values in one subject, and the most UTF-16 units of JSON in the `instead` of a verdict. */
export const JSON_LIMITS = { depth: 100, values: 1_000_000, instead: 32_768 } as const;

/** The number of values, and of levels below the top. */
interface Count {
  values: number;
  depth: number;
}

// Marks copies that are deeply frozen, so that they are not copied again.
const Frozen = brand<Count>();

/**
 * Returns a deep-frozen copy of plain data, or the data itself if it is such a copy. Throws BYLAW_JSON_INVALID for data that JSON
 * cannot express or that two readers could understand differently: prototypes, `__proto__` keys, cycles, functions, dates, lone
 * surrogates, numbers that are not finite.
 */
export const freezeJson = (value: unknown): Json => copy(value, 0, { values: 0, depth: 0 });

function enter(count: Count, depth: number, values: number): void {
  if (depth >= JSON_LIMITS.depth) refuse(`a cycle or more than ${JSON_LIMITS.depth} levels`);
  if ((count.values += values) > JSON_LIMITS.values)
    refuse(`more than ${JSON_LIMITS.values} values`);
  if (depth > count.depth) count.depth = depth;
}

function copy(value: unknown, depth: number, count: Count): Json {
  if (typeof value === "string") return value.isWellFormed() ? value : refuse("a lone surrogate");
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return value as Json;
  if (typeof value !== "object") refuse(`a value of type ${typeof value}`);
  const held = Frozen.of(value);
  if (held !== undefined) {
    enter(count, depth + held.depth, held.values);
    return value as Json;
  }
  const before = { ...count };
  count.depth = depth;
  enter(count, depth, 1);
  if (!isPlain(value)) refuse("an object with a prototype");
  const result: Json[] | Record<string, Json> = Array.isArray(value) ? [] : {};
  if (Array.isArray(result)) {
    const items = value as readonly unknown[];
    enter(count, depth, items.length);
    // Iterates by index, because a custom iterator could answer differently the second time.
    for (let index = 0; index < items.length; index += 1)
      result.push(copy(items[index], depth + 1, count));
  } else {
    for (const key in value) {
      if (!owns(value, key)) continue;
      if (key === "__proto__" || !key.isWellFormed())
        refuse("a key `__proto__` or with a lone surrogate");
      const item: unknown = (value as Record<string, unknown>)[key];
      enter(count, depth, 1);
      if (item !== undefined) result[key] = copy(item, depth + 1, count);
    }
  }
  const own = { values: count.values - before.values, depth: count.depth - depth };
  count.depth = Math.max(count.depth, before.depth);
  return Object.freeze(new Frozen(result, own)) as Json;
}

function refuse(what: string): never {
  throw new BylawError({
    code: "BYLAW_JSON_INVALID",
    message: `The data is not plain JSON: it has ${what}`,
  });
}

/** Whether a key is an own key. In a `for in` loop, this is faster than Object.hasOwn by a sixth of a decision. */
export const owns = (value: object, key: string): boolean =>
  Object.prototype.hasOwnProperty.call(value, key);

/** Whether an object or array has no class of its own. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === (Array.isArray(value) ? Array.prototype : Object.prototype) || prototype === null
  );
}

/** Whether a value is a JSON object, and not an array, a scalar or null. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Formats data as in RFC 8785: keys sorted by UTF-16 code unit, no white space, numbers as in ECMAScript. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`).join(",")}}`;
}

/** Returns a copy without fields that are undefined. */
export function omitUndefined<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const result: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in fields)
    if (fields[key] !== undefined && owns(fields, key))
      result[key] = fields[key] as Exclude<T[typeof key], undefined>;
  return result;
}
