import { parsePolicy, type PolicyFile } from "../src/index.ts";

type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };

/** One `[[rules]]` as data. */
export type RuleData = Readonly<Record<string, Value>>;

const inline = (value: Value): string => {
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(inline).join(", ")}]`;
  if (typeof value === "object") {
    return `{ ${Object.entries(value)
      .map(([key, item]) => `${JSON.stringify(key)} = ${inline(item)}`)
      .join(", ")} }`;
  }
  return JSON.stringify(value);
};

/** Formats a policy as TOML. */
export function toml(rules: readonly RuleData[], top: RuleData = {}): string {
  const lines = Object.entries(top).map(([key, value]) => `${key} = ${inline(value)}`);
  for (const rule of rules) {
    lines.push(
      "[[rules]]",
      ...Object.entries(rule).map(([key, value]) => `${key} = ${inline(value)}`),
    );
  }
  return lines.join("\n");
}

/** Parses rules written as data. */
export const policyOf = (
  rules: readonly RuleData[],
  top: RuleData = {},
  file = "policy.toml",
): PolicyFile => parsePolicy(toml(rules, top), { file });
