import { describe, expect, it } from "vitest";
import { isBlank, visibleText } from "../src/index.ts";
import { readCases } from "./read-cases.ts";

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const INVISIBLE: readonly number[] = [
  ...[
    ...range(0, 0x20),
    ...range(0x7f, 0xa0),
    0xad,
    0x34f,
    0x61c,
    0x115f,
    0x1160,
    0x1680,
    0x17b4,
    0x17b5,
    0x180e,
  ],
  ...[
    ...range(0x2000, 0x200f),
    ...range(0x2028, 0x202f),
    ...range(0x205f, 0x206f),
    0x2800,
    0x3000,
    0x3164,
  ],
  ...[
    ...range(0xfe00, 0xfe0f),
    0xfeff,
    0xffa0,
    0x1d159,
    ...range(0xe0000, 0xe007f),
    ...range(0xe0100, 0xe01ef),
  ],
];

describe("a text", () => {
  it("without visible characters is blank, whatever it consists of", () => {
    expect(isBlank("")).toBe(true);
    for (const code of INVISIBLE) {
      const char = String.fromCodePoint(code);
      expect([code.toString(16), isBlank(char), isBlank(` ${char}${char}\n`)]).toEqual([
        code.toString(16),
        true,
        true,
      ]);
    }
    expect(isBlank(INVISIBLE.map((code) => String.fromCodePoint(code)).join(""))).toBe(true);
    // Half of a surrogate pair is no character.
    expect(isBlank("\ud800")).toBe(true);
  });

  it.each(readCases<string>(new URL("cases/blank/visible.jsonl", import.meta.url)))(
    "that shows something is not: %j",
    (text) => {
      expect(isBlank(text)).toBe(false);
    },
  );

  it("counts only by its visible part, so that padding does not make it longer", () => {
    expect(visibleText(`\u2060 fine${"\u200b".repeat(100)}\u3164 `)).toBe("fine");
    expect(visibleText("two words\nin two lines")).toBe("two words\nin two lines");
  });
});
