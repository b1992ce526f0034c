import { readFileSync } from "node:fs";
import type { RuleData } from "./toml.ts";

/** A case from gemini-cli's own tests of compound commands. */
export interface GeminiCase {
  readonly name: string;
  readonly rules: readonly RuleData[];
  readonly command: string;
  readonly expect: string;
  readonly defaultDecision?: string;
  readonly blamedRule?: string | null;
}

/** Reads a file below `fixtures/gemini`. */
export const geminiFixture = (name: string): string =>
  readFileSync(new URL(`fixtures/gemini/${name}`, import.meta.url), "utf8");

/** Returns the cases in the order of the file. */
export const geminiCases = (): readonly GeminiCase[] =>
  (JSON.parse(geminiFixture("shell-compound.json")) as { readonly cases: readonly GeminiCase[] })
    .cases;

/** Formats rules with gemini-cli's keys as TOML. */
export function geminiToml(rules: readonly RuleData[], top: RuleData = {}): string {
  const value = (item: unknown): string =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? `{ ${Object.entries(item)
          .map(([key, one]) => `${key} = ${JSON.stringify(one)}`)
          .join(", ")} }`
      : JSON.stringify(item);
  return [
    ...Object.entries(top).map(([key, item]) => `${key} = ${value(item)}`),
    ...rules.flatMap((rule) => [
      "[[rule]]",
      ...Object.entries(rule).map(([key, item]) => `${key} = ${value(item)}`),
    ]),
  ].join("\n");
}
