import * as fc from "fast-check";
import micromatch from "micromatch";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { call, effectOf } from "./calls.ts";

// The definition, as slow as it may be: tries every length for each star.
function reference(pattern: readonly string[], text: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (head === undefined) return text.length === 0;
  if (head === "*")
    return reference(rest, text) || (text.length > 0 && reference(pattern, text.slice(1)));
  const [first, ...others] = text;
  if (first === undefined) return false;
  const fits =
    head === "?" ||
    (head === "[a-b]"
      ? first === "a" || first === "b"
      : head === "[!a]"
        ? first !== "a"
        : head === first);
  return fits && reference(rest, others);
}

const matches = (pattern: string, text: string): boolean =>
  effectOf(
    [{ action: "deny", tool: "t", args: { a: { glob: pattern } } }],
    call("t", { a: text }),
  ) === "deny";

test("a text glob matches exactly what the definition says", () => {
  const token = fc.constantFrom("*", "?", "a", "b", "😀", "[a-b]", "[!a]", "/");
  const char = fc.constantFrom("a", "b", "c", "😀", "/", "\n");
  fc.assert(
    fc.property(
      fc.array(token, { minLength: 1, maxLength: 7 }),
      fc.array(char, { maxLength: 7 }),
      (pattern, text) => {
        expect([pattern, text, matches(pattern.join(""), text.join(""))]).toEqual([
          pattern,
          text,
          reference(pattern, text),
        ]);
      },
    ),
    { numRuns: 1000 },
  );
});

describe("long texts", () => {
  const text = "a".repeat(200_000);
  test.each([
    "*a*a*a*a*a*a*b",
    "*?*?*?*?*b",
    `${"*a".repeat(2000)}*b`,
    "*[a-z]*[a-z]*[0-9]*",
    `*${"a".repeat(2000)}b*`,
  ])("%#", (pattern) => {
    expect(matches(pattern, text)).toBe(false);
    expect(matches(pattern, `${text}0b`)).toBe(!pattern.includes(`${"a".repeat(2000)}b`) || false);
  });
});

test("a regular expression that would backtrack forever returns", () => {
  const evil = effectOf(
    [{ action: "deny", tool: "t", args: { a: { regex: "((a+)+)+$|(a|aa)+b" } } }],
    call("t", { a: `${"a".repeat(100_000)}c` }),
  );
  expect(evil).toBe("abstain");
});

test("the literal ends of a regular expression exclude no match", () => {
  const piece = fc.constantFrom(
    "a",
    "b",
    "ab",
    ".",
    "a*",
    "b+",
    "a?",
    "(a|b)",
    "[ab]",
    "a{2}",
    "\\.",
    "(ab)*",
    "^",
    "$",
    "\\d",
    " ",
    "😀?",
    "b{0,1}",
    "(?i)a",
    "a|b",
    "\\Qa\\E",
  );
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 6 }),
      fc.string({ unit: fc.constantFrom("a", "b", ".", "1", " ", "😀", "A"), maxLength: 8 }),
      (pieces, text) => {
        const source = pieces.join("");
        let native: RegExp;
        try {
          native = new RegExp(
            `^(?:${source.replace(/\(\?i\)/g, "").replace(/\\Qa\\E/g, "a")})$`,
            pieces.includes("(?i)a") ? "su" : "su",
          );
        } catch {
          return;
        }
        // Inline flags have no native equivalent, so only the certain part is compared.
        const ours =
          effectOf(
            [{ action: "deny", tool: "t", args: { x: { regex: source } } }],
            call("t", { x: text }),
          ) === "deny";
        if (pieces.includes("(?i)a")) {
          if (native.test(text)) expect([source, text, ours]).toEqual([source, text, true]);
        } else expect([source, text, ours]).toEqual([source, text, native.test(text)]);
      },
    ),
    { numRuns: 1500 },
  );
});

describe("a pattern with a brace outside of alternatives does not load", () => {
  const patterns = readCases<string>(import.meta, "patterns");
  test.each(patterns)("%s", (pattern) => {
    for (const action of ["allow", "deny"]) {
      for (const part of [
        { tool: pattern },
        { tool: "t", agent: pattern },
        { server: pattern },
        { tool: "t", args: { a: { glob: pattern } } },
      ]) {
        expect(() => effectOf([{ action, ...part }], call("t"))).toThrow(/brace/);
      }
    }
  });
  test.each(patterns)("%s in paths", (paths) => {
    expect(() => effectOf([{ action: "deny", paths }], call("t"))).toThrow(/brace/);
  });
  test("nested alternatives load", () => {
    expect(effectOf([{ action: "deny", tool: "{a,{b,c}d}" }], call("cd"))).toBe("deny");
  });
});

test.each([
  ["\\{a,b\\}", "{a,b}"],
  ["\\}a", "}a"],
])("the escaped brace of %s is a character", (tool, name) => {
  expect(
    [name, "a"].map((one) => effectOf([{ action: "deny", tool }], call(one)) === "deny"),
  ).toEqual([true, false]);
});

const CHARACTERS = Array.from("ab1_./*?~@: +#%^-");

test("braces expand as micromatch expands them, anywhere in a pattern", () => {
  const text = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 4 });
  const name = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 3 });
  const group = fc
    .array(name, { minLength: 1, maxLength: 3 })
    .map((names) => `{${names.join(",")}}`);
  const pattern = fc.array(fc.oneof(text, group), { maxLength: 4 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(pattern, text, (source, other) => {
      fc.pre(source.includes("{") && !source.includes(".."));
      const alternatives = micromatch.braces(source, { expand: true });
      fc.pre(alternatives.every((one) => one !== "" && !/[{}]/.test(one)));
      for (const candidate of [...alternatives.slice(0, 4), other])
        expect([source, candidate, matches(source, candidate)]).toEqual([
          source,
          candidate,
          alternatives.some((one) => matches(one, candidate)),
        ]);
    }),
    { numRuns: 500 },
  );
});
