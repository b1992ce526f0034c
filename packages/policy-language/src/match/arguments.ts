import type { Json, JsonObject } from "@bylaw/kernel";
import { foldName } from "../paths/fold-name.ts";
import { PatternError, quote } from "../load/finding.ts";
import { compileGlob, expand } from "./glob.ts";
import { literalEnds } from "./regex.ts";
import {
  compileTest,
  isOfType,
  isRecord,
  listOf,
  same,
  type ConditionSource,
  type Test,
  type TestOptions,
} from "./value-test.ts";

/** How an index may find a condition: by exact values or by prefixes. */
type ConditionKey =
  | { readonly kind: "values"; readonly values: readonly (string | number | boolean | null)[] }
  | { readonly kind: "prefixes"; readonly prefixes: readonly string[] };

/** A compiled condition on one argument. */
export interface Condition {
  readonly name: string;
  readonly key: ConditionKey | undefined;
  holds(args: JsonObject | undefined): boolean;
}

/**
 * Compiles the condition on the argument `name`. `broad` is for a deny or an ask, for which doubtful readings match.
 * For an allow, they do not. Throws {@link PatternError}, also for a condition that can never hold.
 */
export function compileCondition(
  name: string,
  source: ConditionSource,
  { broad, checked }: TestOptions,
): Condition {
  const path = name.split(".");
  if (path.includes(""))
    throw new PatternError(
      `The argument name ${quote(name)} has an empty part. Write a name before and after each dot`,
    );
  if (checked !== true) check(source);
  const parts = Object.keys(source).filter(
    (key) => source[key as keyof ConditionSource] !== undefined,
  );
  if (parts.length === 0)
    throw new PatternError(
      `The condition on ${quote(name)} is empty. Write one like \`{ eq = "x" }\``,
    );
  const { exists, ...rest } = source;
  const test = compileTest(rest, { broad, checked });
  const { not, ...others } = rest;
  const positive = Object.values(others).some((part) => part !== undefined);
  const ofValue = (value: Json | undefined): boolean => {
    if (value === undefined) {
      if (exists === false) return true;
      // With `not`, a missing argument satisfies a deny. An allow needs to see the value.
      return broad && not !== undefined && !positive && exists === undefined;
    }
    return exists !== false && test(value);
  };
  return {
    name,
    key: positive && (!broad || isTextual(others)) ? keyOf(others) : undefined,
    holds(args) {
      // Without argument names, any argument may be this one.
      if (args === undefined) return broad;
      if (!broad && spelledTwice(args, path)) return false;
      const holdsAt = (steps: readonly string[]): boolean =>
        broad ? reachesAny(args, steps, ofValue) : ofValue(reach(args, steps));
      // `a.b` may also be the literal name of one argument. A deny accepts either reading, an allow neither.
      if (path.length === 1 || !Object.hasOwn(args, name)) return holdsAt(path);
      return broad && (holdsAt(path) || holdsAt([name]));
    },
  };
}

// Some JSON readers treat keys that differ only in case as the same key.
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

/** Returns the value at a path of own keys. Undefined if there is none. The items of an array have no names. */
export function reach(args: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json = args;
  for (const name of path) {
    if (
      typeof value !== "object" ||
      value === null ||
      Array.isArray(value) ||
      !Object.hasOwn(value, name)
    )
      return undefined;
    value = (value as JsonObject)[name] ?? null;
  }
  return value;
}

// Whether a value that the path may lead to passes. A list stands for its items, and text on the way may contain anything.
function reachesAny(
  value: Json,
  path: readonly string[],
  passes: (value: Json | undefined) => boolean,
): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return passes(value);
  if (Array.isArray(value) && value.length > 0)
    return value.some((item: Json) => reachesAny(item, path, passes));
  if (typeof value === "string") return true;
  if (!isRecord(value) || !Object.hasOwn(value, name)) return passes(undefined);
  return reachesAny(value[name] ?? null, rest, passes);
}

// A deny also compares other types as text. A value that is no text has too many such spellings to look up.
function isTextual({ eq, in: among, glob, regex }: ConditionSource): boolean {
  const values = eq !== undefined ? [eq] : among;
  return values === undefined
    ? glob !== undefined || regex !== undefined
    : values.every((value) => typeof value === "string");
}

// A URL has many spellings, so `url_prefix` cannot be looked up as text.
function keyOf({ eq, in: among, glob, regex }: ConditionSource): ConditionKey | undefined {
  const values = eq !== undefined ? [eq] : among;
  if (
    values !== undefined &&
    values.every((value) => typeof value !== "object" || value === null)
  ) {
    return { kind: "values", values: values as readonly (string | number | boolean | null)[] };
  }
  const prefixes =
    regex !== undefined
      ? [literalEnds(regex).prefix]
      : glob !== undefined
        ? listOf(glob).flatMap((text) => expand(text).map((part) => compileGlob(part).prefix))
        : [];
  return prefixes.length === 0 || prefixes.includes("")
    ? undefined
    : { kind: "prefixes", prefixes };
}

const STRINGS = ["glob", "regex", "url_prefix"] as const;

function check(source: ConditionSource): void {
  const { eq, in: among, type, min, max, exists } = source;
  const never = (why: string): never => {
    throw new PatternError(`This condition can never hold: ${why}`);
  };
  if (min !== undefined && max !== undefined && min > max) never(`min ${min} is above max ${max}`);
  if (among?.length === 0) never("`in` is empty");
  const asks = Object.entries(source).filter(
    ([key, part]) => part !== undefined && key !== "exists",
  );
  if (exists === false && asks.length > 0)
    never("`exists = false` together with a condition on the value");
  const numeric = min !== undefined || max !== undefined;
  const textual = STRINGS.filter((key) => source[key] !== undefined);
  if (numeric && textual.length > 0)
    never(`\`${textual[0]}\` wants text, \`min\` and \`max\` a number`);
  if (type !== undefined && numeric && type !== "number" && type !== "integer")
    never(`\`min\` and \`max\` want a number, not ${type}`);
  if (type !== undefined && textual.length > 0 && type !== "string")
    never(`\`${textual[0]}\` wants text, not ${type}`);
  if (source.not !== undefined) check(source.not);
  if (eq === undefined && among === undefined) return;
  const { eq: _eq, in: _in, ...others } = source;
  const test = compileTest(others, { broad: true });
  const rest: Test = (value) =>
    (!numeric || typeof value === "number") &&
    (textual.length === 0 || typeof value === "string") &&
    (type === undefined || isOfType(value, type)) &&
    test(value);
  if (
    eq !== undefined &&
    !(rest(eq) && (among === undefined || among.some((item) => same(eq, item))))
  ) {
    never("the value of `eq` does not satisfy the other conditions");
  }
  if (eq === undefined && among !== undefined && !among.some(rest))
    never("no value of `in` satisfies the other conditions");
}
