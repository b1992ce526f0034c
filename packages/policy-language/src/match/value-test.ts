import type { Json, JsonObject } from "@bylaw/kernel";
import { compileGlob, expand } from "./glob.ts";
import { compileRegex } from "./regex.ts";
import { compileUrlPrefix } from "./url.ts";

export const ARGUMENT_TYPES = [
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
] as const;
type ArgumentType = (typeof ARGUMENT_TYPES)[number];

/** A condition on one named argument, as written. All of its parts must hold. */
export interface ConditionSource {
  readonly eq?: Json | undefined;
  readonly in?: readonly Json[] | undefined;
  readonly glob?: string | readonly string[] | undefined;
  readonly regex?: string | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly type?: ArgumentType | undefined;
  readonly url_prefix?: string | readonly string[] | undefined;
  readonly exists?: boolean | undefined;
  readonly not?: ConditionSource | undefined;
}

export type Test = (value: Json) => boolean;

/** The options for compiling a condition. */
export interface TestOptions {
  readonly broad: boolean;
  /** Whether the condition was compiled before: see {@link compileRegex}. */
  readonly checked?: boolean | undefined;
}

/**
 * Compiles a condition. `broad`: values of other types are read as a lax tool could read them, lists also item by
 * item, and values that cannot be read pass. Otherwise only values of the type that the condition is about can pass.
 */
export function compileTest(source: ConditionSource, { broad, checked }: TestOptions): Test {
  const tests: Test[] = [];
  const { eq, in: among, type, min, max, glob, regex, url_prefix, not, exists } = source;
  const equal = broad ? couldBe : same;
  const ofText = (matches: (text: string) => boolean): void =>
    void tests.push((value) =>
      typeof value === "string"
        ? matches(value)
        : broad && (isRecord(value) || (!Array.isArray(value) && matches(String(value)))),
    );
  const ofNumber = (matches: (number: number) => boolean): void =>
    void tests.push((value) =>
      typeof value === "number"
        ? matches(value)
        : broad && !Array.isArray(value) && couldBeNumber(value, matches),
    );
  if (exists === false) tests.push(() => false);
  if (type !== undefined) {
    const alone = Object.keys(source).every(
      (key) =>
        key === "type" || key === "exists" || source[key as keyof ConditionSource] === undefined,
    );
    tests.push(
      (value) =>
        isOfType(value, type) ||
        (broad && !alone && kindOf(value) !== (type === "integer" ? "number" : type)),
    );
  }
  if (eq !== undefined) tests.push((value) => equal(value, eq));
  if (among !== undefined) tests.push((value) => among.some((item) => equal(value, item)));
  if (min !== undefined) ofNumber((number) => number >= min);
  if (max !== undefined) ofNumber((number) => number <= max);
  if (glob !== undefined) {
    const globs = listOf(glob).flatMap((text) => expand(text).map(compileGlob));
    ofText((text) => globs.some((compiled) => compiled.matches(text)));
  }
  if (regex !== undefined) {
    const compiled = compileRegex(regex, { dotAll: broad, checked });
    ofText((text) => compiled.matches(text));
  }
  if (url_prefix !== undefined) {
    const prefixes = listOf(url_prefix).map(compileUrlPrefix);
    ofText((text) =>
      prefixes.some((prefix) => (broad ? prefix.denies(text) : prefix.allows(text))),
    );
  }
  if (not !== undefined) {
    const inverse = compileTest(not, { broad: !broad, checked });
    const kinds = scalarsOf(not);
    tests.push((value) => (broad || kinds.has(kindOf(value))) && !inverse(value));
  }
  const [only] = tests;
  const all: Test =
    tests.length === 1 && only !== undefined ? only : (value) => tests.every((test) => test(value));
  if (!broad) return all;
  const some: Test = (value) => all(value) || (Array.isArray(value) && value.some(some));
  return some;
}

export const listOf = (value: string | readonly string[]): readonly string[] =>
  typeof value === "string" ? [value] : value;

export const isRecord = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const kindOf = (value: Json): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

const SCALARS: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

// The types that a condition is about. If it names none: all plain types.
function scalarsOf({
  eq,
  in: among,
  glob,
  regex,
  url_prefix,
  min,
  max,
  not,
}: ConditionSource): ReadonlySet<string> {
  if (glob !== undefined || regex !== undefined || url_prefix !== undefined)
    return new Set(["string"]);
  if (min !== undefined || max !== undefined) return new Set(["number"]);
  const values = eq === undefined ? (among ?? []) : [eq];
  const kinds = values.map(kindOf).filter((kind) => SCALARS.has(kind));
  if (kinds.length > 0) return new Set(kinds);
  return not === undefined ? SCALARS : scalarsOf(not);
}

const FALSY: ReadonlySet<string> = new Set(["", "0", "false", "f", "no", "n", "off", "null"]);
const TRUTHY: ReadonlySet<string> = new Set(["1", "true", "t", "yes", "y", "on"]);

// Whether a lax tool could take the value for the wanted one.
function couldBe(value: Json, wanted: Json): boolean {
  if (typeof wanted === "object") return same(value, wanted);
  if (isRecord(value)) return true;
  if (Array.isArray(value)) return false;
  if (typeof value === typeof wanted) return value === wanted;
  const text = String(value);
  if (typeof wanted === "boolean") return !(wanted ? FALSY : TRUTHY).has(text.trim().toLowerCase());
  return (
    text === String(wanted) ||
    (typeof wanted === "number" && value !== null && text.trim() !== "" && Number(value) === wanted)
  );
}

function couldBeNumber(value: Json, matches: (number: number) => boolean): boolean {
  const number = isRecord(value) ? Number.NaN : Number(value);
  return Number.isNaN(number) || matches(number);
}

/** Whether a value has a type of JSON Schema. */
export function isOfType(value: Json, type: ArgumentType): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object")
    return typeof value === "object" && value !== null && !Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

/** Whether two values are equal. The order of keys does not matter. */
export function same(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item: Json, at) => same(item, right[at] as Json));
  }
  const keys = Object.keys(left);
  const other = right as JsonObject;
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(other, key) && same((left as JsonObject)[key] ?? null, other[key] ?? null),
  );
}
