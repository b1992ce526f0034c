import * as fc from "fast-check";
import { expect, it } from "vitest";
import { analyze, UNKNOWN_CODES } from "../src/index.ts";
import { shellText } from "./shell-text.ts";
import { codesOf } from "./kit.ts";

it("never throws, and gives the same answer twice", () => {
  fc.assert(
    fc.property(shellText(), (line) => {
      const analysis = analyze(line);
      expect(analyze(line)).toEqual(analysis);
      for (const code of codesOf(analysis)) expect(Object.keys(UNKNOWN_CODES)).toContain(code);
      for (const { argv } of analysis.commands) {
        for (const { text, pieces } of argv)
          expect(text === undefined ? pieces.some((piece) => typeof piece !== "string") : pieces.join("") === text).toBe(true);
      }
    }),
    { numRuns: 3000, seed: 3 },
  );
});

it("does not know a line over 16 KiB, and reports each of its commands once", () => {
  const { commands, unknown } = analyze("true; ".repeat(20_000).concat("rm -rf build"));
  expect(unknown.map(({ code }) => code)).toEqual(["limit"]);
  expect(commands.map(({ argv }) => argv.map(({ text }) => text))).toEqual([["true"], ["rm", "-rf", "build"]]);
});

it("has nothing to say about nothing", () => {
  for (const line of ["", "  \n\t", "# only a comment"]) expect(analyze(line)).toEqual({ commands: [], unknown: [] });
});

it.each([
  "git\u200bstatus",
  "git status\r",
  "git status\b",
  "a\u00a0b",
  "\ufeffls",
  "ls \u2066x",
  "ls \u{e0041}",
  "ls \ud800",
  "a\0b",
  "a\fb",
  "x\u2028y",
])("does not know a line with a hidden character: %j", (line) => {
  expect(analyze(line).unknown.map(({ code }) => code)).toContain("syntax");
});
