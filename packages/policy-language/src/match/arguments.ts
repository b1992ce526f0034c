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

/**
 * Compiles the condition on the argument `name`. `broad`: of a deny or an ask, so doubtful readings match; else of an allow,
 * so they do not. Throws {@link PatternError}, also for what can never hold.
 */
export function compileCondition(
  name: string,
  source: ConditionSource,
  { broad, checked }: TestOptions,
): Condition {
  const path = name.split(".");
  if (path.includes(""))
    throw new PatternError(
      `The argument name ${quote(name)} has an empty part. Write a name between each two dots`,
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
      const holdsAt = (steps: readonly string[]): boolean =>
        broad ? reachesAny(args, steps, ofValue) : ofValue(reach(args, steps));
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

// Whether a value that the path may lead to passes: a list on the way stands for its members, and text may hide anything.
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

// A deny reads a value of another type as text; what it takes for a number or a truth value has too many spellings to look up.
function isTextual({ eq, in: among, glob, regex }: ConditionSource): boolean {
  const values = eq !== undefined ? [eq] : among;
  return values === undefined
    ? glob !== undefined || regex !== undefined
    : values.every((value) => typeof value === "string");
}

// A URL has many spellings, so `url_prefix` has no text to look up.
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
    never("`exists = false` beside a condition on the value");
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
    never("the value of `eq` does not satisfy the other parts");
  }
  if (eq === undefined && among !== undefined && !among.some(rest))
    never("no value of `in` satisfies the other parts");
}
