import * as fc from "fast-check";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { createSummary } from "../src/decide/batch-summary.ts";
import { paintFor, place, plain, short } from "../src/io/text.ts";

afterEach(() => vi.unstubAllEnvs());

test("plain text has no character that a terminal acts on", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(plain(text)).not.toMatch(
        /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f]/u,
      );
    }),
  );
  expect(plain("a\u001b[31mb\nc")).toBe("a\\u001b[31mb\\u000ac");
  expect(plain("ordinary, écrit, 書")).toBe("ordinary, écrit, 書");
  expect(short("x".repeat(50), 10)).toBe(`${"x".repeat(9)}…`);
});

test("colours only on a terminal, and never if NO_COLOR is set", () => {
  vi.stubEnv("NO_COLOR", "");
  vi.stubEnv("TERM", "xterm");
  expect(paintFor({ isTTY: true })("red", "deny")).toBe("\u001b[31mdeny\u001b[0m");
  expect(paintFor({ isTTY: false })("red", "deny")).toBe("deny");
  expect(paintFor({})("red", "deny")).toBe("deny");
  vi.stubEnv("NO_COLOR", "1");
  expect(paintFor({ isTTY: true })("red", "deny")).toBe("deny");
  vi.stubEnv("NO_COLOR", "");
  vi.stubEnv("TERM", "dumb");
  expect(paintFor({ isTTY: true })("red", "deny")).toBe("deny");
});

test("a place below the working directory is relative", () => {
  expect(place({ file: join(process.cwd(), "a/b.toml"), line: 3, column: 1 })).toBe("a/b.toml:3:1");
  expect(place({ file: "/elsewhere/b.toml", line: 3 })).toBe("/elsewhere/b.toml:3");
  expect(place({ file: "b.toml" })).toBe("b.toml");
});

test("a summary counts by effect, code and rule, the most frequent first", () => {
  const summary = createSummary();
  expect(summary.text()).toBe("0 calls: allow 0, ask_user 0, deny 0");
  for (let index = 0; index < 12; index++) {
    for (let times = 0; times <= index; times++) {
      summary.add({
        effect: "deny",
        code: "rule_denied",
        reason: "no",
        rule: { name: `r${String(index).padStart(2, "0")}`, file: "p.toml", line: index + 1 },
        enforcement_mode: "strict",
      });
    }
  }
  summary.add({ effect: "allow", code: "mode_allowed", reason: "yes", enforcement_mode: "strict" });
  const lines = summary.text().split("\n");
  expect(lines.slice(0, 4)).toEqual([
    "79 calls: allow 1, ask_user 0, deny 78",
    "codes: rule_denied 78, mode_allowed 1",
    "rules, the 10 most frequent of 12:",
    "      12  r11 (p.toml:12)",
  ]);
  expect(lines).toHaveLength(13);
});
