import type { ToolCall, Json, JsonObject } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePolicy } from "../src/index.ts";
import { call, effectOf } from "./calls.ts";
import { policyOf, type RuleData } from "./toml.ts";

const matches = (action: string, condition: object, value: unknown): boolean =>
  effectOf(
    [{ action, tool: "t", args: { a: condition } } as unknown as RuleData],
    call("t", { a: value } as ToolCall["args"]),
  ) === action;
const network = (action: string, host: string, args: unknown): boolean =>
  effectOf(
    [{ action, tool: "web_fetch", network: host }],
    call("web_fetch", args as ToolCall["args"]),
  ) === action;

describe("an allow by url_prefix or host covers no URL that some reader understands differently", () => {
  const origin = "https://h.example/";
  test.each(readCases<string>(import.meta, "urls-not-allowed"))("%j", (url) => {
    expect(matches("allow", { url_prefix: origin }, url)).toBe(false);
    expect(network("allow", "h.example", { url })).toBe(false);
  });
  test.each(readCases<string>(import.meta, "plain"))("%j is plain", (url) => {
    expect(matches("allow", { url_prefix: origin }, url)).toBe(true);
    expect(network("allow", "h.example", { url })).toBe(true);
  });
});

describe("a deny by url_prefix matches every spelling of a path", () => {
  test.each(readCases<string>(import.meta, "denied-urls"))("%j", (url) => {
    for (const prefix of ["https://h.example/admin/", "https://h.example/admin"]) {
      expect([prefix, matches("deny", { url_prefix: prefix }, url)]).toEqual([prefix, true]);
    }
  });
  test.each(readCases<string>(import.meta, "another-place"))("%j is a different path", (url) =>
    expect(matches("deny", { url_prefix: "https://h.example/admin/" }, url)).toBe(false),
  );
  test("a prefix with escapes is compared by the characters that they encode", () => {
    expect(
      matches("deny", { url_prefix: "https://h.example/é/" }, "https://h.example/%c3%a9/x"),
    ).toBe(true);
    expect(
      matches("deny", { url_prefix: "https://h.example/%C3%A9/" }, "https://h.example/é/x"),
    ).toBe(true);
    expect(matches("deny", { url_prefix: "https://h.example/%61/" }, "https://h.example/a/x")).toBe(
      true,
    );
  });
  test("a path too long for any server is denied unread", () => {
    const long = (origin: string): string => `${origin}/${"é".repeat(1_000_000)}`;
    expect(
      matches("deny", { url_prefix: "https://h.example/admin/" }, long("https://h.example")),
    ).toBe(true);
    expect(
      matches("deny", { url_prefix: "https://h.example/admin/" }, long("https://g.example")),
    ).toBe(false);
  });
  test("extra text around a denied path does not hide it", () => {
    const noise = fc.constantFrom("/", "./", "%2e/", "x/../", ";a/", "%zz/../", "%2f", "\\");
    fc.assert(
      fc.property(
        fc.array(noise, { maxLength: 5 }),
        fc.constantFrom("admin", "%61dmin", "ad%6din"),
        (before, name) => {
          const url = `https://h.example/${before.join("")}${name}/%ff`;
          expect([url, matches("deny", { url_prefix: "https://h.example/admin/" }, url)]).toEqual([
            url,
            true,
          ]);
        },
      ),
    );
  });
});

describe("a deny with network matches every spelling of a host", () => {
  test.each(readCases<[string, Json]>(import.meta, "denied-hosts"))("%s: %j", (host, url) => {
    expect(network("deny", host, { url })).toBe(true);
    expect(network("ask_user", host, { url })).toBe(true);
    expect(network("allow", host, { url })).toBe(false);
  });
  test.each(readCases<[string | number | null | string[]]>(import.meta, "other-hosts"))(
    "%j is another host",
    (url) => expect(network("deny", "a.internal", { url })).toBe(false),
  );
  test("without argument names, any argument may be the URL", () => {
    expect(network("deny", "a.internal", ["https://b.example/"])).toBe(true);
    expect(network("deny", "a.internal", [])).toBe(false);
    expect(network("allow", "*", ["https://b.example/"])).toBe(false);
  });
});

describe("the type of a value neither evades a deny nor satisfies an allow", () => {
  test.each(readCases<[JsonObject, Json]>(import.meta, "values-a-deny-meets"))(
    "%j and %j",
    (condition, value) => {
      expect(matches("deny", condition, value)).toBe(true);
      expect(matches("ask_user", condition, value)).toBe(true);
      expect(matches("allow", condition, value)).toBe(false);
    },
  );
  test.each(readCases<[JsonObject, Json]>(import.meta, "values-a-deny-misses"))(
    "%j and %j do not meet",
    (condition, value) => {
      for (const action of ["deny", "ask_user", "allow"])
        expect(matches(action, condition, value)).toBe(false);
    },
  );
  test("without argument names, any argument may match", () => {
    for (const condition of readCases<object>(import.meta, "conditions")) {
      const rule = (action: string): RuleData =>
        ({ action, tool: "t", args: { a: condition } }) as unknown as RuleData;
      for (const args of [["x"], [{ a: "x" }], ["y", 2]]) {
        expect(effectOf([rule("deny")], call("t", args))).toBe("deny");
        expect(effectOf([rule("ask_user")], call("t", args))).toBe("ask_user");
        expect(effectOf([rule("allow")], call("t", args))).toBe("abstain");
      }
    }
  });
  test("a list or text on the way to a nested argument does not hide the argument", () => {
    const denies = (args: ToolCall["args"]): boolean =>
      effectOf([{ action: "deny", tool: "t", args: { "a.b": { eq: 1 } } }], call("t", args)) ===
      "deny";
    expect(denies({ a: [{ b: 2 }, { b: 1 }] })).toBe(true);
    expect(denies({ a: '{"b":1}' })).toBe(true);
    expect(denies({ a: [{ b: 2 }, {}] })).toBe(false);
    expect(denies({ a: null })).toBe(false);
  });
  test("the index finds everything that a scan finds", () => {
    const value = fc.oneof(
      fc.constantFrom<unknown>("GET", "1", 1, true, null, "a.internal"),
      fc.constant(["GET"]),
      fc.constant([[1]]),
      fc.constant({ b: "GET" }),
    );
    const condition = fc.constantFrom<object>(
      { eq: "GET" },
      { in: [1, "a"] },
      { glob: "G*" },
      { regex: "1" },
      { min: 1 },
      { not: { eq: "GET" } },
    );
    const args = fc.oneof(fc.record({ a: value }), fc.array(value, { maxLength: 2 }));
    fc.assert(
      fc.property(
        fc.constantFrom("allow", "deny", "ask_user"),
        fc.constantFrom("a", "a.b"),
        condition,
        args,
        (action, name, one, given) => {
          const pool = compilePolicy([
            policyOf([
              { name: "r", action, tool: "t", args: { [name]: one } } as unknown as RuleData,
            ]),
          ]);
          const asked = call("t", given as ToolCall["args"]);
          expect(pool.evaluate(asked)).toEqual(pool.evaluateByScan(asked));
        },
      ),
    );
  });
});

describe("`not` in an allow holds only for values of the type that it is about", () => {
  test.each(readCases<[JsonObject, Json[]]>(import.meta, "values-of-other-types"))(
    "%j",
    (condition, values) => {
      for (const value of values)
        expect([value, matches("allow", condition, value)]).toEqual([value, false]);
    },
  );
  test.each(readCases<[object, boolean | number | string]>(import.meta, "covers"))(
    "%j covers %j",
    (condition, value) => expect(matches("allow", condition, value)).toBe(true),
  );
});
