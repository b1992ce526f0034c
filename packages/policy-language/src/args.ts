import type { Json, JsonObject } from "@bylaw/kernel";
import { foldName } from "./fold.ts";
import { PatternError, quote } from "./finding.ts";
import { compileGlob, expand } from "./glob.ts";
import { compileRegex, literalEnds } from "./regex.ts";
import { compileUrlPrefix } from "./url.ts";

export const ARGUMENT_TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"] as const;
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

/** How the index may look a condition up. */
type ConditionKey =
  | { readonly kind: "values"; readonly values: readonly (string | number | boolean | null)[] }
  | { readonly kind: "prefixes"; readonly prefixes: readonly string[] };

/** A compiled condition. */
export interface Condition {
  readonly name: string;
  readonly key: ConditionKey | undefined;
  holds(args: JsonObject | undefined): boolean;
}

type Test = (value: Json) => boolean;

/**
 * Compiles the condition on the argument `name`. `broad`: of a deny or an ask, so doubtful readings match; else of an allow,
 * so they do not. Throws {@link PatternError}, also for what can never hold.
 */
export function compileCondition(name: string, source: ConditionSource, { broad }: { readonly broad: boolean }): Condition {
  const path = name.split(".");
  if (path.includes("")) throw new PatternError(`Unexpected argument name ${quote(name)}, expected names between the dots`);
  check(source);
  const parts = Object.keys(source).filter((key) => source[key as keyof ConditionSource] !== undefined);
  if (parts.length === 0) throw new PatternError(`Unexpected empty condition on ${quote(name)}, expected one like \`{ eq = "x" }\``);
  const { exists, ...rest } = source;
  const test = compileTest(rest, broad);
  const { not, ...others } = rest;
  const positive = Object.values(others).some((part) => part !== undefined);
  const ofValue = (value: Json | undefined): boolean => {
    if (value === undefined) {
      if (exists === false) return true;
      // Nothing is not the forbidden thing either; but an allow wants to see what it allows.
      return broad && not !== undefined && !positive && exists === undefined;
    }
    return exists !== false && test(value);
  };
  return {
    name,
    key: positive && (!broad || isTextual(others)) ? keyOf(others) : undefined,
    holds(args) {
      // Arguments without names: any of them may be the one.
      if (args === undefined) return broad;
      if (!broad && spelledTwice(args, path)) return false;
      const holdsAt = (steps: readonly string[]): boolean => (broad ? reachesAny(args, steps, ofValue) : ofValue(reach(args, steps)));
      // `a.b` may also be the name of one argument. Two readings: a deny takes either, an allow neither.
      if (path.length === 1 || !Object.hasOwn(args, name)) return holdsAt(path);
      return broad && (holdsAt(path) || holdsAt([name]));
    },
  };
}

// Some readers of JSON take a key that differs in case for the same one.
function spelledTwice(args: JsonObject, path: readonly string[]): boolean {
  let value: Json = args;
  for (const name of path) {
    if (!isRecord(value)) return false;
    const folded = foldName(name);
    if (Object.keys(value).some((key) => key !== name && foldName(key) === folded)) return true;
    value = Object.hasOwn(value, name) ? (value[name] ?? null) : null;
  }
  return false;
}

/** The value at a path of own keys, or nothing. An array has no named values. */
export function reach(args: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json = args;
  for (const name of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return undefined;
    value = (value as JsonObject)[name] ?? null;
  }
  return value;
}

// Whether a value that the path may lead to passes: a list on the way stands for its members, and text may hide anything.
function reachesAny(value: Json, path: readonly string[], passes: (value: Json | undefined) => boolean): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return passes(value);
  if (Array.isArray(value) && value.length > 0) return value.some((item: Json) => reachesAny(item, path, passes));
  if (typeof value === "string") return true;
  if (!isRecord(value) || !Object.hasOwn(value, name)) return passes(undefined);
  return reachesAny(value[name] ?? null, rest, passes);
}

/**
 * `broad`: values of another type are read as a lax tool could read them, lists also by their members, and what cannot be read
 * passes. Otherwise nothing but the type that the condition is about passes.
 */
function compileTest(source: ConditionSource, broad: boolean): Test {
  const tests: Test[] = [];
  const { eq, in: among, type, min, max, glob, regex, url_prefix, not, exists } = source;
  const equal = broad ? couldBe : same;
  const ofText = (matches: (text: string) => boolean): void =>
    void tests.push((value) =>
      typeof value === "string" ? matches(value) : broad && (isRecord(value) || (!Array.isArray(value) && matches(String(value)))),
    );
  const ofNumber = (matches: (number: number) => boolean): void =>
    void tests.push((value) =>
      typeof value === "number" ? matches(value) : broad && !Array.isArray(value) && couldBeNumber(value, matches),
    );
  if (exists === false) tests.push(() => false);
  if (type !== undefined) {
    const alone = Object.keys(source).every(
      (key) => key === "type" || key === "exists" || source[key as keyof ConditionSource] === undefined,
    );
    tests.push((value) => isOfType(value, type) || (broad && !alone && kindOf(value) !== (type === "integer" ? "number" : type)));
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
    const compiled = compileRegex(regex, { dotAll: broad });
    ofText((text) => compiled.matches(text));
  }
  if (url_prefix !== undefined) {
    const prefixes = listOf(url_prefix).map(compileUrlPrefix);
    ofText((text) => prefixes.some((prefix) => (broad ? prefix.denies(text) : prefix.allows(text))));
  }
  if (not !== undefined) {
    const inverse = compileTest(not, !broad);
    const kinds = scalarsOf(not);
    tests.push((value) => (broad || kinds.has(kindOf(value))) && !inverse(value));
  }
  const [only] = tests;
  const all: Test = tests.length === 1 && only !== undefined ? only : (value) => tests.every((test) => test(value));
  if (!broad) return all;
  const some: Test = (value) => all(value) || (Array.isArray(value) && value.some(some));
  return some;
}

const listOf = (value: string | readonly string[]): readonly string[] => (typeof value === "string" ? [value] : value);

const isRecord = (value: Json): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

const kindOf = (value: Json): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

const SCALARS: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

// The types that a condition is about; all plain ones where it does not say.
function scalarsOf({ eq, in: among, glob, regex, url_prefix, min, max, not }: ConditionSource): ReadonlySet<string> {
  if (glob !== undefined || regex !== undefined || url_prefix !== undefined) return new Set(["string"]);
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
  return text === String(wanted) || (typeof wanted === "number" && value !== null && text.trim() !== "" && Number(value) === wanted);
}

function couldBeNumber(value: Json, matches: (number: number) => boolean): boolean {
  const number = isRecord(value) ? Number.NaN : Number(value);
  return Number.isNaN(number) || matches(number);
}

function isOfType(value: Json, type: ArgumentType): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function same(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item: Json, at) => same(item, right[at] as Json));
  }
  const keys = Object.keys(left);
  const other = right as JsonObject;
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && same((left as JsonObject)[key] ?? null, other[key] ?? null));
}

// A deny reads a value of another type as text; what it takes for a number or a truth value has too many spellings to look up.
function isTextual({ eq, in: among, glob, regex }: ConditionSource): boolean {
  const values = eq !== undefined ? [eq] : among;
  return values === undefined ? glob !== undefined || regex !== undefined : values.every((value) => typeof value === "string");
}

// A URL has many spellings, so `url_prefix` has no text to look up.
function keyOf({ eq, in: among, glob, regex }: ConditionSource): ConditionKey | undefined {
  const values = eq !== undefined ? [eq] : among;
  if (values !== undefined && values.every((value) => typeof value !== "object" || value === null)) {
    return { kind: "values", values: values as readonly (string | number | boolean | null)[] };
  }
  const prefixes =
    regex !== undefined
      ? [literalEnds(regex).prefix]
      : glob !== undefined
        ? listOf(glob).flatMap((text) => expand(text).map((part) => compileGlob(part).prefix))
        : [];
  return prefixes.length === 0 || prefixes.includes("") ? undefined : { kind: "prefixes", prefixes };
}

const STRINGS = ["glob", "regex", "url_prefix"] as const;

function check(source: ConditionSource): void {
  const { eq, in: among, type, min, max, exists } = source;
  const never = (why: string): never => {
    throw new PatternError(`Unexpected condition that can never hold (${why}), expected one that some value satisfies`);
  };
  if (min !== undefined && max !== undefined && min > max) never(`min ${min} is above max ${max}`);
  if (among?.length === 0) never("`in` is empty");
  const asks = Object.entries(source).filter(([key, part]) => part !== undefined && key !== "exists");
  if (exists === false && asks.length > 0) never("`exists = false` beside a condition on the value");
  const numeric = min !== undefined || max !== undefined;
  const textual = STRINGS.filter((key) => source[key] !== undefined);
  if (numeric && textual.length > 0) never(`\`${textual[0]}\` wants text, \`min\` and \`max\` a number`);
  if (type !== undefined && numeric && type !== "number" && type !== "integer") never(`\`min\` and \`max\` want a number, not ${type}`);
  if (type !== undefined && textual.length > 0 && type !== "string") never(`\`${textual[0]}\` wants text, not ${type}`);
  if (source.not !== undefined) check(source.not);
  if (eq === undefined && among === undefined) return;
  const { eq: _eq, in: _in, ...others } = source;
  const test = compileTest(others, true);
  const rest: Test = (value) =>
    (!numeric || typeof value === "number") &&
    (textual.length === 0 || typeof value === "string") &&
    (type === undefined || isOfType(value, type)) &&
    test(value);
  if (eq !== undefined && !(rest(eq) && (among === undefined || among.some((item) => same(eq, item))))) {
    never("the value of `eq` does not satisfy the other parts");
  }
  if (eq === undefined && among !== undefined && !among.some(rest)) never("no value of `in` satisfies the other parts");
}
