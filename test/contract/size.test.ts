import { expect, it } from "vitest";
import { filesAt, linesOfCode, textOf } from "./workspaces.ts";

it("the kernel has at most 800 lines of code", () => {
  const lines = filesAt("packages/kernel/src/**/*.ts").filter((file) => !file.endsWith(".d.ts"));
  expect(lines.reduce((sum, file) => sum + linesOfCode(file), 0)).toBeLessThanOrEqual(800);
});

it("no source file has more than 300 lines", () => {
  const files = [
    ...filesAt("{packages,plugins,rulesets}/*/{src,contract}/**/*.ts"),
    ...filesAt("{packages,plugins,rulesets}/*/*.ts"),
    ...filesAt("{*,tools/*}.ts"),
  ];
  const long = files.map((file) => [file, textOf(file).trimEnd().split("\n").length] as const);
  expect(long.filter(([, lines]) => lines > 300)).toEqual([]);
});

it("every decision is on record in under 40 lines, numbered and named", () => {
  const records = filesAt("docs/decisions/*");
  expect(records).toContain("docs/decisions/000-template.md");
  const others = records.filter((file) => !file.endsWith("/000-template.md"));
  expect(others.filter((file) => !/\/\d{4}-[a-z0-9]+(-[a-z0-9]+)*\.md$/.test(file))).toEqual([]);
  const numbers = others.map((file) => /\/(\d{4})-/.exec(file)?.[1]);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(records.filter((file) => textOf(file).trimEnd().split("\n").length >= 40)).toEqual([]);
});
