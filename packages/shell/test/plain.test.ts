import * as fc from "fast-check";
import { readCases } from "@bylaw/testing";
import { expect, it } from "vitest";
import { analyze } from "../src/index.ts";
import { analyzeScript } from "../src/analyze-script.ts";
import { PROGRAMS, WORDS } from "./plain-words.ts";
import { shellText } from "./shell-text.ts";

const program = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PROGRAMS) },
  { weight: 1, arbitrary: fc.constantFrom(...WORDS) },
);
const word = fc.oneof(
  fc.constantFrom(...WORDS, ...PROGRAMS),
  fc.string({
    unit: fc.constantFrom(..."a Z 0 _ @ % + : , . / = - ^ ~ # \\ é".split(" ")),
    minLength: 1,
    maxLength: 8,
  }),
);
const blank = fc.constantFrom(" ", " ", "  ", "\t", "\n", "");
const line = fc
  .tuple(blank, program, fc.array(fc.tuple(blank, word), { maxLength: 6 }), blank)
  .map(
    ([before, first, rest, after]) =>
      before + first + rest.map(([sign, text]) => (sign || " ") + text).join("") + after,
  );

it("equals the parser for plain lines", () => {
  fc.assert(
    fc.property(line, (text) => {
      expect(analyze(text)).toEqual(analyzeScript(text));
    }),
    { numRuns: 6_000 },
  );
});

it("equals the parser for any line", () => {
  fc.assert(
    fc.property(shellText(), (text) => {
      expect(analyze(text)).toEqual(analyzeScript(text));
    }),
    { numRuns: 600 },
  );
});

it("equals the parser for every program with few arguments", () => {
  for (const name of PROGRAMS) {
    for (const rest of readCases<string>(import.meta, "programs")) {
      const text = name + rest;
      expect(analyze(text), text).toEqual(analyzeScript(text));
      expect(analyze(`/usr/bin/${text}`), text).toEqual(analyzeScript(`/usr/bin/${text}`));
    }
  }
});

it.each(readCases<string>(import.meta, "lines"))("equals the parser for %j", (text) => {
  expect(analyze(text)).toEqual(analyzeScript(text));
});
