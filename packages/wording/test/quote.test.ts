import { oneLine, prose, quote, quoteAll } from "../src/index.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("foreign text in a message", () => {
  it.each([
    ["a plain name", "read_file", "`read_file`"],
    ["a line break", "a\nUnexpected b", "`a\\u{a}Unexpected b`"],
    ["a mark that turns the text round", "a\u202eb", "`a\\u{202e}b`"],
    ["a joiner that is not seen", "rea\u200bd", "`rea\\u{200b}d`"],
    ["backticks", "a`b", "`a'b`"],
    ["half of a character", "a\ud83d", "`a\ufffd`"],
    ["a long one", "x".repeat(81), `\`${"x".repeat(79)}…\``],
    ["nothing", "", "``"],
  ])("is quoted: %s", (_, text, quoted) => {
    expect(quote(text)).toBe(quoted);
  });

  it("is prose on one line", () => {
    expect(oneLine("no:\r\n\tthe plan is thin\u200b", 200)).toBe("no: the plan is thin\\u{200b}");
    expect(oneLine("abcdef", 4)).toBe("abc…");
    expect(oneLine("of `a`", 20)).toBe("of `a`");
    expect(prose("of `a`", 20)).toBe("of 'a'");
  });

  it("is a list of names", () => {
    expect(quoteAll(["a", "b"])).toBe("`a`, `b`");
    expect(quoteAll(["a", "b", "c"], 2)).toBe("`a`, `b` and 1 more");
    expect(quoteAll([])).toBe("none");
  });

  it("stays on one line, within its maximum length, and never ends the quotation", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 200 }),
        fc.integer({ min: 2, max: 120 }),
        (text, most) => {
          expect(oneLine(text, most).length).toBeLessThanOrEqual(most);
          expect(quote(text).length).toBeLessThanOrEqual(82);
          for (const line of [oneLine(text, most), quote(text)]) {
            expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
          }
          expect(`${quote(text).slice(1, -1)}${prose(text, most)}`).not.toContain("`");
        },
      ),
    );
  });
});
