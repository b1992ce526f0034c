import { didYouMean, nearest } from "../src/index.ts";
import { readCases } from "./read-cases.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("the nearest word", () => {
  it.each(
    readCases<readonly [string, readonly string[], string]>(
      new URL("cases/nearest/names.jsonl", import.meta.url),
    ),
  )("to %j among %j is %j", (word, known, near) => {
    expect(nearest(word, known)).toBe(near);
  });

  it.each([
    ["nothing near", "banana", ["allow", "deny"]],
    ["the word itself", "allow", ["allow"]],
    ["nothing written", "", ["fallback", "plugins"]],
    ["no words", "allow", []],
    ["a word longer than anybody misspells", "a".repeat(101), ["a".repeat(100)]],
  ])("is undefined for %s", (_, word, known) => {
    expect(nearest(word, known)).toBeUndefined();
  });

  it("is the first of several that are equally near", () => {
    expect(nearest("cat", ["car", "cap"])).toBe("car");
  });

  it("compares at most a thousand words", () => {
    const known = [...Array.from({ length: 1_000 }, () => "zzzzzzzz"), "allow"];
    expect(nearest("alow", known)).toBeUndefined();
    expect(nearest("alow", known.slice(1))).toBe("allow");
  });

  it("is found for every word of five letters or more with one letter missing, among words without common letters", () => {
    const words = fc.stringMatching(/^[a-m]{5,20}$/);
    fc.assert(
      fc.property(words, fc.nat(), (word, at) => {
        const index = at % word.length;
        expect(
          nearest(word.slice(0, index) + word.slice(index + 1), ["nopqrst", word, "uvwxyz"]),
        ).toBe(word);
      }),
    );
  });
});

describe("the advice", () => {
  it("names the word", () => {
    expect(didYouMean("alow", ["allow"])).toBe("Did you mean `allow`?");
  });

  it("is undefined if no word is near", () => {
    expect(didYouMean("banana", ["allow"])).toBeUndefined();
  });
});
