import type { Json, JsonObject } from "@bylaw/kernel";
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
  const { exists, not, ...rest } = source;
  const test = compileTest(rest, broad);
  const inverse = not === undefined ? undefined : compileTest(not, !broad);
  const positive = Object.keys(rest).some((key) => rest[key as keyof typeof rest] !== undefined);
  const ofValue = (value: Json | undefined): boolean => {
    if (value === undefined) {
      if (exists === false) return true;
      // Nothing is not the forbidden thing either; but an allow wants to see what it allows.
      return broad && inverse !== undefined && !positive && exists === undefined;
    }
    if (exists === false) return false;
    return test(value) && (inverse === undefined || !inverse(value));
  };
  return {
    name,
    key: positive ? keyOf(rest) : undefined,
    holds(args) {
      if (args === undefined) return false;
      const value = reach(args, path);
      if (path.length === 1) return ofValue(value);
      // `a.b` may also be the name of one argument. Two readings: a deny takes either, an allow neither.
      const flat = Object.hasOwn(args, name) ? args[name] : undefined;
      if (flat === undefined) return ofValue(value);
      return broad && (ofValue(value) || ofValue(flat));
    },
  };
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

function compileTest(source: ConditionSource, broad: boolean): Test {
  const tests: Test[] = [];
  const { eq, in: among, type, min, max, glob, regex, url_prefix, not, exists } = source;
  if (exists === false) tests.push(() => false);
  if (eq !== undefined) tests.push((value) => same(value, eq));
  if (among !== undefined) tests.push((value) => among.some((item) => same(value, item)));
  if (type !== undefined) tests.push((value) => isOfType(value, type));
  if (min !== undefined) tests.push((value) => typeof value === "number" && value >= min);
  if (max !== undefined) tests.push((value) => typeof value === "number" && value <= max);
  if (glob !== undefined) {
    const globs = listOf(glob).flatMap((text) => expand(text).map(compileGlob));
    tests.push((value) => typeof value === "string" && globs.some((compiled) => compiled.matches(value)));
  }
  if (regex !== undefined) {
    const compiled = compileRegex(regex, { dotAll: broad });
    tests.push((value) => typeof value === "string" && compiled.matches(value));
  }
  if (url_prefix !== undefined) {
    const prefixes = listOf(url_prefix).map(compileUrlPrefix);
    tests.push((value) => typeof value === "string" && prefixes.some((prefix) => (broad ? prefix.denies(value) : prefix.allows(value))));
  }
  if (not !== undefined) {
    const inverse = compileTest(not, !broad);
    tests.push((value) => !inverse(value));
  }
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) return only;
  return (value) => tests.every((test) => test(value));
}

const listOf = (value: string | readonly string[]): readonly string[] => (typeof value === "string" ? [value] : value);

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
  const rest = compileTest(others, true);
  if (eq !== undefined && !(rest(eq) && (among === undefined || among.some((item) => same(eq, item))))) {
    never("the value of `eq` does not satisfy the other parts");
  }
  if (eq === undefined && among !== undefined && !among.some(rest)) never("no value of `in` satisfies the other parts");
}
