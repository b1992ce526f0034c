import { omitUndefined } from "@bylaw/kernel";
import type { Rule } from "../compile/rule.ts";
import type { ProgramKey } from "../match/command-words.ts";
import { LANGUAGE_VERSION } from "./language-version.ts";
import type { CompiledPolicy, CompiledRule, ParseOptions } from "./parse-options.ts";
import { parsePolicy } from "./parse-policy.ts";

/**
 * Builds the compiled form of a policy text, for {@link ParseOptions.compiled}. Throws {@link PolicyError}. Undefined
 * if the text has no compiled form: it has warnings, uses `compat`, or contains a value that JSON cannot express.
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

// Keep one list of paths for both as one list: mutants and explanations show the text as written.
function compiledRule({ source, programs }: Rule): CompiledRule {
  const { file: _, write, ...rest } = source;
  const both = write !== undefined && write === rest.read;
  return {
    ...rest,
    ...(both ? { both } : omitUndefined({ write })),
    ...omitUndefined({ programs: programs && eachOnce(programs) }),
  };
}

// The patterns of a rule name the same programs many times. With one that has no words, the words of the others say nothing.
function eachOnce(programs: readonly ProgramKey[]): NonNullable<CompiledRule["programs"]> {
  const words = new Map<string | null, Set<string> | undefined>();
  for (const one of programs) {
    const { program = null } = one;
    const known = words.has(program) ? words.get(program) : new Set<string>();
    const more = one.firstWords();
    words.set(program, more && known && new Set([...known, ...more]));
  }
  return [...words].map(([program, some]) =>
    some === undefined ? [program] : [program, [...some]],
  );
}

/** Whether a value is a compiled form, and not some other JSON. */
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
