import { omitUndefined } from "@bylaw/kernel";
import type { Rule } from "../compile/rule.ts";
import { LANGUAGE_VERSION } from "./language-version.ts";
import type { CompiledPolicy, CompiledRule, ParseOptions } from "./parse-options.ts";
import { parsePolicy } from "./parse-policy.ts";

/**
 * The compiled form of a policy text, for {@link ParseOptions.compiled}. Throws {@link PolicyError}. Undefined where there is
 * none: for a text with warnings, for `compat`, and for a value that JSON does not have.
 */
export function compiledPolicy(
  text: string,
  { tools }: Pick<ParseOptions, "tools"> = {},
): CompiledPolicy | undefined {
  const options = { file: "policy.toml", operator: true };
  const policy = parsePolicy(text, tools === undefined ? options : { ...options, tools });
  if (policy.warnings.length > 0 || policy.compat !== undefined) return undefined;
  const { default: effect } = policy;
  const form: CompiledPolicy = {
    text: policy.text,
    version: LANGUAGE_VERSION,
    ...(effect === undefined ? {} : { default: effect }),
    rules: policy.rules.map(compiledRule),
    ...omitUndefined({ marks: policy.marks?.map(({ source: { file: _, ...mark } }) => mark) }),
  };
  return isPlain(form) ? form : undefined;
}

// One list of paths for both stays one: mutants and explanations show what the text says.
function compiledRule({ source, programs }: Rule): CompiledRule {
  const { file: _, write, ...rest } = source;
  const both = write !== undefined && write === rest.read;
  return {
    ...rest,
    ...(both ? { both } : omitUndefined({ write })),
    ...omitUndefined({
      programs: programs?.map((one) =>
        omitUndefined({ program: one.program, words: one.firstWords() }),
      ),
    }),
  };
}

/** Tells a compiled form from other JSON. */
export function isCompiledPolicy(value: unknown): value is CompiledPolicy {
  return (
    typeof value === "object" &&
    value !== null &&
    "text" in value &&
    "version" in value &&
    "rules" in value &&
    Array.isArray(value.rules)
  );
}

// TOML has dates and infinite numbers.
function isPlain(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "bigint" || value instanceof Date) return false;
  return typeof value !== "object" || value === null || Object.values(value).every(isPlain);
}
