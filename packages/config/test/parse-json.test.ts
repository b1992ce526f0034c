import * as fc from "fast-check";
import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { parseJson } from "../src/index.ts";

const refusal = (text: string): string => {
  try {
    parseJson(text);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`accepted: ${text.slice(0, 80)}`);
};

test("reads every JSON value as JSON.parse does", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 8 }),
      fc.constantFrom(undefined, 0, 2, "\t", "\r\n"),
      (value, indent) => {
        const text = JSON.stringify(value, undefined, typeof indent === "string" ? "\t" : indent);
        fc.pre(!text.includes('"__proto__"'));
        const spaced = indent === "\r\n" ? text.replaceAll("\n", "\r\n") : text;
        expect(parseJson(spaced)).toEqual(JSON.parse(spaced));
      },
    ),
    { numRuns: 2_000 },
  );
});

test("accepts every double as JSON.stringify writes it", () => {
  fc.assert(
    fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
      expect(parseJson(JSON.stringify(value))).toBe(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 5_000 },
  );
});

test("accepts no text that JSON.parse refuses", () => {
  const edit = fc.record({
    at: fc.nat(400),
    cut: fc.nat(3),
    put: fc.constantFrom(...'{}[]:,"\\0e-+.tnu \n\u0001'.split(""), ""),
  });
  let refused = 0;
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 4 }),
      fc.array(edit, { minLength: 1, maxLength: 3 }),
      (json, edits) => {
        let text = json;
        for (const { at, cut, put } of edits) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + put + text.slice(place + cut);
        }
        let wanted: unknown;
        try {
          wanted = JSON.parse(text);
        } catch {
          refused++;
          expect(refusal(text)).toMatch(/^\S.*\(line \d+, column \d+\)$/);
          return;
        }
        let actual: unknown;
        try {
          actual = parseJson(text);
        } catch (error) {
          // The edit must have added one of these faults; nothing else may be refused.
          expect((error as Error).message).toMatch(
            /appears twice|__proto__|fit a double exactly|lone surrogate|well-formed/,
          );
          return;
        }
        expect(actual).toEqual(wanted);
      },
    ),
    { numRuns: 5_000 },
  );
  expect(refused).toBeGreaterThan(500);
});

test("refuses a repeated key at any place and in any spelling", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.boolean(), fc.nat(20), (key, escaped, depth) => {
      fc.pre(key !== "__proto__");
      const plain = JSON.stringify(key);
      const other = escaped
        ? `"${Array.from({ length: key.length }, (_, i) => `\\u${key.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")}"`
        : plain;
      const text = `${"[".repeat(depth)}{${plain}: 1, "between": [{}], ${other}: 2}${"]".repeat(depth)}`;
      fc.pre(key !== "between");
      expect(refusal(text)).toMatch(/^The key .* appears twice/);
    }),
  );
});

test.each(readCases<[string, string]>(import.meta, "refuses"))("refuses %j", (text, message) => {
  expect(refusal(text)).toBe(message);
});

test("refuses a lone surrogate, escaped or not", () => {
  expect(refusal('"\\ud800"')).toContain("surrogate");
  expect(refusal('{"\\udc00": 1}')).toContain("surrogate");
});

test("accepts 17 digits that a double keeps, and refuses 17 that it changes", () => {
  expect(parseJson("0.10000000000000001")).toBe(0.1);
  expect(parseJson("9007199254740992")).toBe(9_007_199_254_740_992);
  expect(refusal("72057594037927937")).toContain("fit a double exactly");
});

test("walks a long string, a string of escapes and deep nesting without exhausting a stack", () => {
  const long = "x".repeat(10_000_000);
  expect(parseJson(JSON.stringify(long))).toBe(long);
  const escapes = '\\n"'.repeat(2_000_000);
  expect(parseJson(JSON.stringify(escapes))).toBe(escapes);
  expect(refusal(`"${"\\n".repeat(3_000_000)}`)).toContain("ends inside a string");
  expect(parseJson(`${"[".repeat(100)}${"]".repeat(100)}`)).toBeDefined();
  expect(refusal(`${"[".repeat(101)}${"]".repeat(101)}`)).toContain("Nested more than");
  expect(refusal("[".repeat(1_000_000))).toContain("Nested more than");
});

test("freezes its result, and names file, line and column if it knows the file", () => {
  expect(Object.isFrozen(parseJson('{"a": [1]}'))).toBe(true);
  expect(() => parseJson('{\n"a": }', { file: "x.json" })).toThrow(
    expect.objectContaining({
      code: "BYLAW_JSON_INVALID",
      message: "Not valid JSON: `}` stands where a JSON value belongs",
      source: { file: "x.json", line: 2, column: 6 },
    }),
  );
});

// A space before the text forces the walk without changing the value.
test("the fast path and the walk give the same result", () => {
  const outcome = (text: string): unknown => {
    try {
      return { value: parseJson(text) };
    } catch (error) {
      return { code: (error as { code?: string }).code };
    }
  };
  const key = fc.constantFrom('"a"', '"b"', '"1"', '"__proto__"', '"\\u0061"', '"é"');
  const scalar = fc.constantFrom(
    ..."1 -0 1.0 1e5 0.1 12345678901234567890 1e400 true null".split(" "),
    '"x"',
    '"\\ud800"',
    '"\\u0041"',
    '"\\n"',
  );
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
      fc
        .array(fc.tuple(key, tie("value")), { maxLength: 3 })
        .map((pairs) => `{${pairs.map(([name, item]) => `${name}:${item}`).join(",")}}`),
    ),
  }));
  fc.assert(
    fc.property(value, (text) => {
      expect(outcome(text)).toEqual(outcome(` ${text}`));
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ["numbers", "[0,0,0]"],
  ["empty arrays", "[[],[],[]]"],
  ["keys", '{"a":1,"b":[2]}'],
])("accepts at most as many values as allowed: %s", (_, text) => {
  expect(parseJson(text, { values: 4 })).toEqual(JSON.parse(text));
  expect(() => parseJson(text, { values: 3 })).toThrow(/More than 3 values/);
  const spaced = text.replaceAll(",", " , ");
  expect(parseJson(spaced, { values: 4 })).toEqual(JSON.parse(text));
  expect(() => parseJson(spaced, { values: 3 })).toThrow(/More than 3 values/);
});

test("stops at the first value too many, whatever follows it", () => {
  expect(() => parseJson(`[${"[],".repeat(1_000)}`, { values: 10 })).toThrow(
    /More than 10 values.*column 29/,
  );
});

// A parser with quadratic time would need hours for this.
test("reads a number of a million digits in linear time", () => {
  const zeros = "0".repeat(1_000_000);
  expect(() => parseJson(`[1${zeros}1]`)).toThrow(/number/);
  expect(parseJson(`[0.${zeros}]`)).toEqual([0]);
});
