import { BylawError, type BylawErrorInit } from "./errors.ts";

/** What a function expects of its argument. */
export interface ExpectedArgument {
  /** The error code. Default: BYLAW_OPTIONS_INVALID. */
  readonly code?: BylawErrorInit["code"];
  /** The test for the argument. Default: it is an object literal, or comes from JSON. */
  readonly fits?: (value: unknown) => boolean;
}

/**
 * Returns the argument if it fits, and throws otherwise. Without this check, a promise that was not awaited, or a Map, looks like
 * an object without fields. `to`: the function that received it. `what`: the expected value, such as "a configuration".
 */
export function checkArgument<T>(
  to: string,
  what: string,
  value: T,
  expected: ExpectedArgument = {},
): T {
  const { code = "BYLAW_OPTIONS_INVALID", fits = isLiteral } = expected;
  if (fits(value)) return value;
  const kind = kindOf(value);
  const fix =
    kind === "a promise"
      ? "Await it first."
      : fits === isLiteral
        ? "Pass a plain object."
        : undefined;
  throw new BylawError({ code, message: `${to} was given ${kind} instead of ${what}`, fix });
}

// Compares the root of the prototype chain, because an object of another realm is a literal too.
function isLiteral(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return value === null ? "null" : "nothing";
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  if ("then" in value) return "a promise";
  const { constructor } = value as { constructor?: { name?: unknown } };
  return `an instance of ${String(constructor?.name || "a class")}`;
}
