import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readCases } from "../src/index.ts";
import { expect, it } from "vitest";

/** A test file whose cases `x` have this text. */
const withCases = (text: string): { readonly url: string } => {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-cases-"));
  mkdirSync(join(folder, "cases/one-more"), { recursive: true });
  writeFileSync(join(folder, "cases/one-more/x.jsonl"), text);
  return { url: String(pathToFileURL(join(folder, "one-more.test.ts"))) };
};

it("reads one frozen case per line", () => {
  const cases = readCases<{ readonly words: readonly string[] }>(
    withCases('{"words": ["a"]}\n\n{"words": []}\n'),
    "x",
  );
  expect(cases).toEqual([{ words: ["a"] }, { words: [] }]);
  expect(Object.isFrozen(cases)).toBe(true);
  expect(Object.isFrozen(cases[0]?.words)).toBe(true);
});

it("names the line that is not JSON", () => {
  expect(() => readCases(withCases("{}\n{,}\n"), "x")).toThrow("Line 2 of ");
});

it("refuses a file without cases, which would test nothing", () => {
  expect(() => readCases(withCases("\n"), "x")).toThrow("holds no case");
});
