import * as fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { PolicyError, compilePolicy, parsePolicy } from "../src/index.ts";

// Every finding and every verdict has a position, so the locator is tested through them.
function findingsOf(text: string) {
  try {
    parsePolicy(text, { file: "p.toml" });
  } catch (error) {
    if (error instanceof PolicyError)
      return error.findings.map(({ line, column, message }) => ({ line, column, message }));
    throw error;
  }
  return [];
}

const places = (text: string): readonly (readonly [number, number])[] =>
  findingsOf(text).map(({ line, column }) => [line, column]);

test("a wrong key is found after comments, strings, arrays and inline tables that look like tables", () => {
  const text = [
    "# [[rules]] in a comment",
    "[[rules]] # one",
    'name = "a [[rules]] # not a comment"',
    'action = "deny"',
    "reason = '''",
    "[[rules]]",
    "wrong = 1",
    "'''",
    'fix = """',
    '\\"""',
    "[[rules]]",
    '""""',
    "not_match = [ # first",
    '  "a",',
    "  # [[rules]]",
    '  "b" ]',
    'args = { "x.y" = { eq = "]" }, z = { in = [1, [2, 3]] } }',
    "  wrong = 2",
  ].join("\n");
  expect(places(text)).toEqual([
    [14, 3],
    [16, 3],
    [18, 3],
  ]);
});

test("keys in sub-tables, dotted keys and quoted keys are found", () => {
  expect(
    places(
      '[[rules]]\nname = "a"\naction = "deny"\n[rules.args]\nx = { eqq = 1 }\n"y z" = { min = 2, max = 1 }\n',
    ),
  ).toEqual([
    [5, 7],
    [6, 1],
  ]);
  expect(places('[[rules]]\nname = "a"\naction = "deny"\nargs.x.eqq = 1\n')).toEqual([[4, 1]]);
  expect(places('[[rules]]\n"name" = "a"\n\'action\' = "denny"\n')).toEqual([[3, 1]]);
  expect(places('[[rules]]\n"na\\u006de" = ""\naction = "deny"\n')).toEqual([[2, 1]]);
});

test("rules written as an array of inline tables are found", () => {
  expect(
    places('rules = [\n  { name = "a", action = "deny" },\n  { name = "b", action = "dny" },\n]\n'),
  ).toEqual([[3, 17]]);
});

test("CRLF and a byte order mark do not change a position", () => {
  expect(places('\uFEFF[[rules]]\r\nname = "a"\r\nacton = "deny"\r\n')).toEqual([[3, 1]]);
});

test("the line of a rule is the line of its header, whatever the text around it looks like", () => {
  const junk = fc.constantFrom(
    "# [[rules]]",
    'reason = "[[rules]]"',
    "reason = '''\n[[rules]]\n'''",
    'reason = """\n\\"""\n[[rules]]"""',
    'match = ["a",\n "[[rules]]" # x\n]\ntool = "a|b|*"',
    'args = { a = { eq = "}" }, "b]" = { in = ["]", "["] } }',
    "args.a.eq = '\"'",
    "",
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(junk, fc.boolean()), { minLength: 1, maxLength: 12 }),
      (bodies) => {
        const lines: string[] = [];
        const expected: number[] = [];
        for (const [at, [body, spaced]] of bodies.entries()) {
          if (spaced) lines.push("", "  # between");
          expected.push(lines.length + 1);
          lines.push(
            spaced ? "  [[ rules ]] # x" : "[[rules]]",
            `name = "r${at}"`,
            'action = "deny"',
            ...body.split("\n"),
          );
        }
        const text = lines.join("\n");
        expect((parseToml(text) as { rules: unknown[] }).rules).toHaveLength(bodies.length);
        const pool = compilePolicy([parsePolicy(text, { file: "p.toml" })]);
        const found = new Map(pool.rules.map(({ name, line }) => [name, line]));
        expect(bodies.map((_, at) => found.get(`r${at}`))).toEqual(expected);
      },
    ),
    { numRuns: 500 },
  );
});

test("broken TOML is reported on one line, at the position where the parser stopped", () => {
  for (const [text, line] of readCases<[string, number]>(import.meta, "broken-toml")) {
    const [finding] = findingsOf(text);
    expect(finding?.line).toBe(line);
    expect(finding?.message).toMatch(/^Invalid TOML: [^\n]+$/);
  }
});
