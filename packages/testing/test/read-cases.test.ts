import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readCases } from "../src/index.ts";
import { expect, it } from "vitest";

const fileOf = (text: string): URL => {
  const file = join(mkdtempSync(join(tmpdir(), "bylaw-cases-")), "lines.jsonl");
  writeFileSync(file, text);
  return pathToFileURL(file);
};

it("reads one frozen case a line", () => {
  const cases = readCases<{ readonly words: readonly string[] }>(
    fileOf('{"words": ["a"]}\n\n{"words": []}\n'),
  );
  expect(cases).toEqual([{ words: ["a"] }, { words: [] }]);
  expect(Object.isFrozen(cases)).toBe(true);
  expect(Object.isFrozen(cases[0]?.words)).toBe(true);
});

it("names the line that is not JSON", () => {
  expect(() => readCases(fileOf("{}\n{,}\n"))).toThrow("Line 2 of ");
});

it("refuses a file without cases, which would test nothing", () => {
  expect(() => readCases(fileOf("\n"))).toThrow("holds no case");
});
