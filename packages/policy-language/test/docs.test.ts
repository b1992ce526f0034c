import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parsePolicy } from "../src/index.ts";
import { ruleKeys } from "./rule-keys.ts";

const page = (name: string): string =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");
const blocks = (name: string): readonly string[] =>
  Array.from(page(name).matchAll(/^```toml\n([\s\S]*?)^```$/gm), ([, text = ""]) => text);

describe.each(["policy.md", "compat-radium.md"])("docs/%s", (name) => {
  test("shows policies that load without a warning", () => {
    expect(blocks(name).length).toBeGreaterThan(0);
    for (const text of blocks(name)) expect(parsePolicy(text, { file: name }).warnings).toEqual([]);
  });
});

test("docs/policy.md names every key of a rule", () => {
  expect(ruleKeys.length).toBeGreaterThan(20);
  expect(
    ruleKeys.filter(
      (key) =>
        !page("policy.md").includes(`\`${key}`) && !page("policy.md").includes(`\n${key} = `),
    ),
  ).toEqual([]);
});
