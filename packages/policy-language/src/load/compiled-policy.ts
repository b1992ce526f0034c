import { policyDigest } from "./from-compiled.ts";
import type { RuleSource } from "../compile/rule.ts";
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
    digest: policyDigest(policy.text),
    ...(effect === undefined ? {} : { default: effect }),
    rules: policy.rules.map(({ source }) => compiledRule(source)),
  };
  return isPlain(form) ? form : undefined;
}

// One list of paths for both stays one: mutants and explanations show what the text says.
function compiledRule({ file: _, ...rule }: RuleSource): CompiledRule {
  const { write, ...rest } = rule;
  return write !== undefined && write === rule.read ? { ...rest, both: true } : rule;
}

/** Tells a compiled form from other JSON. */
export function isCompiledPolicy(value: unknown): value is CompiledPolicy {
  return (
    typeof value === "object" &&
    value !== null &&
    "digest" in value &&
    typeof value.digest === "string" &&
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
