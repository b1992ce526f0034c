import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { compilePolicy, parsePolicy, PolicyError, type PolicyFile } from "@bylaw/policy-language";
import { createClock, type Fuzz } from "./clock.ts";
import { POLICIES, policyText } from "./policies.ts";

const PARTS = [
  "[[rules]]\n", "[rules]\n", "name = ", "action = ", 'action = "allow"\n', 'action = "deny"\n', 'tool = "*"\n', 'command = "git *"\n', 'command_regex = "(a+)+"\n', 'command_regex = "a{1,99}{1,99}"\n', 'paths = ["**"]\n', 'when = "x > 1"\n',
  "default = ", 'compat = "gemini"\n', 'compat = "radium"\n', "[rules.args]\n", "args = { a = { regex = '(.*)*b' } }\n", "__proto__ = 1\n", "constructor = {}\n", "{", "}", "[", "]", '"', "'", '"""', "'''", "=", ".", "#", "\n", "\r", "\t", "\\", "\\u0000", "\\uD800", "é", "\u2028", "\0", "\ufeff", "1979-05-27T07:32:00Z", "inf", "nan", "0x", "1e999", "-0", "true", ",",
  "*", "**", "{a,b}", "?", "|", "(?=a)", "[^", "\\1", "priority = 9007199254740993\n", 'priority = "admin"\n', "final = true\n", "shadow = true\n", 'modes = ["yolo"]\n',
]; // prettier-ignore

type Edit = (text: string) => string;

// Positions are fractions of the text, so they exist in a text of any length.
function edits(): fc.Arbitrary<Edit> {
  const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  const at = (text: string, part: number): number => Math.floor(text.length * part);
  return fc.oneof(
    fc.tuple(place, fc.constantFrom(...PARTS)).map(
      ([part, added]): Edit =>
        (text) =>
          text.slice(0, at(text, part)) + added + text.slice(at(text, part)),
    ),
    fc.tuple(place, fc.integer({ min: 1, max: 40 })).map(
      ([part, count]): Edit =>
        (text) =>
          text.slice(0, at(text, part)) + text.slice(at(text, part) + count),
    ),
    fc.tuple(place, fc.string({ unit: "binary", maxLength: 4 })).map(
      ([part, added]): Edit =>
        (text) =>
          text.slice(0, at(text, part)) + added + text.slice(at(text, part) + added.length),
    ),
    fc.tuple(place, place, fc.integer({ min: 1, max: 120 })).map(
      ([part, to, count]): Edit =>
        (text) =>
          text.slice(0, at(text, to)) +
          text.slice(at(text, part), at(text, part) + count) +
          text.slice(at(text, to)),
    ),
    fc.tuple(place, fc.constantFrom(...PARTS), fc.integer({ min: 2, max: 200 })).map(
      ([part, added, times]): Edit =>
        (text) =>
          text.slice(0, at(text, part)) + added.repeat(times) + text.slice(at(text, part)),
    ),
  );
}

const MAX_LENGTH = 4_000;

// Text that is a policy, or nearly one.
function policyTexts(): fc.Arbitrary<string> {
  const bases = POLICIES.map(policyText);
  return fc
    .tuple(fc.constantFrom(...bases), fc.array(edits(), { maxLength: 4 }))
    .map(([base, all]) =>
      all.reduce((text, edit) => edit(text), base.slice(0, MAX_LENGTH)).slice(0, MAX_LENGTH),
    );
}

const CALLS = [
  ["run_shell_command", { command: "git status && rm -rf build" }],
  ["bash", { command: "ls src/$x" }],
  ["read_file", { path: "/w/.env" }],
  ["mcp__git__push", { a: { b: [1] } }],
  ["http_request", { url: "https://a.example/x" }],
] as const;

/** Checks that each text soon loads as a policy or is refused, and that a policy decides by its index as by a scan. */
export function fuzzToml({ runs, seed }: Fuzz): string {
  const clock = createClock();
  let parsed = 0;
  fc.assert(
    fc.property(policyTexts(), (text) => {
      let file: PolicyFile | undefined;
      const fast = clock.within(() => (file = policyOf(text)), text);
      if (!fast) return false;
      if (file === undefined) return true;
      parsed++;
      const pool = compilePolicy([file]);
      if (pool.conditional) return true;
      return CALLS.every(([tool, args]) => {
        const call = { hook: "beforeToolCall", tool, args, cwd: "/w", home: "/home/dev" } as const;
        return isDeepStrictEqual(pool.evaluate(call), pool.evaluateByScan(call));
      });
    }),
    { numRuns: runs, seed },
  );
  return `${runs} texts: ${parsed} were policies, the others were refused as such, ${clock.told()}`;
}

// Any other error is a defect.
function policyOf(text: string): PolicyFile | undefined {
  try {
    return parsePolicy(text, { file: "fuzz.toml" });
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}
