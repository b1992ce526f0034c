import * as fc from "fast-check";
import type { ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { call, effectOf } from "./calls.ts";
import type { RuleData } from "./toml.ts";

const matches = (action: string, args: RuleData, given: ToolCall["args"]): boolean =>
  effectOf([{ action, tool: "t", args }], call("t", given)) === action;

const big = "a".repeat(1_000_000);

test.each<
  readonly [object, string | number | boolean | null | readonly number[] | object, boolean]
>([
  ...readCases<[object, string | number | boolean | null | number[] | object, boolean]>(
    import.meta,
    "condition-values",
  ),
  [{ eq: 0 }, -0, true],
  [{ regex: "((a+)+)+b" }, big, false],
  [{ glob: "*a*a*a*a*b" }, big, false],
] as const)("conditions: %j", (condition, value, holds) => {
  for (const action of ["allow", "deny"]) {
    expect(
      matches(
        action,
        { a: condition } as unknown as RuleData,
        { a: value } as unknown as ToolCall["args"],
      ),
    ).toBe(holds);
  }
});

describe("an absent argument", () => {
  const absent: readonly ToolCall["args"][] = [{}, { A: "x" }, { b: { a: "x" } }];
  test.each(readCases<object>(import.meta, "unsatisfied"))("does not satisfy %j", (condition) => {
    for (const args of absent) {
      expect(matches("allow", { a: condition } as unknown as RuleData, args)).toBe(false);
      expect(matches("deny", { a: condition } as unknown as RuleData, args)).toBe(false);
    }
  });
  test("is not the forbidden value for a deny, but an allow requires the argument", () => {
    expect(matches("deny", { a: { not: { eq: "x" } } }, {})).toBe(true);
    expect(matches("allow", { a: { not: { eq: "x" } } }, {})).toBe(false);
    expect(matches("deny", { a: { not: { eq: "x" }, glob: "y" } }, {})).toBe(false);
  });
  test("satisfies exists = false, in a call with named arguments", () => {
    expect(matches("allow", { a: { exists: false } }, {})).toBe(true);
    expect(matches("allow", { a: { exists: false } }, { a: null })).toBe(false);
    expect(matches("allow", { a: { exists: false } }, [])).toBe(false);
  });
  test.each(["toString", "hasOwnProperty", "valueOf"])("%s is not inherited", (name) => {
    expect(matches("allow", { [name]: { exists: true } }, {})).toBe(false);
    expect(matches("deny", { [name]: { exists: true } }, {})).toBe(false);
  });
});

describe("nested arguments", () => {
  test("are reached through own keys of objects only", () => {
    const args = { "a.b": { eq: 1 } };
    expect(matches("allow", args, { a: { b: 1 } })).toBe(true);
    expect(matches("allow", args, { a: [{ b: 1 }] })).toBe(false);
    expect(matches("allow", args, { a: "b" })).toBe(false);
    expect(matches("allow", args, { b: 1 })).toBe(false);
    expect(matches("allow", { "a.length": { exists: true } }, { a: [1] })).toBe(false);
  });
  test("an argument whose name contains a dot is denied and never allowed", () => {
    expect(matches("allow", { "a.b": { eq: 1 } }, { "a.b": 1 })).toBe(false);
    expect(matches("allow", { "a.b": { eq: 1 } }, { a: { b: 1 }, "a.b": 2 })).toBe(false);
    expect(matches("deny", { "a.b": { eq: 1 } }, { "a.b": 1 })).toBe(true);
    expect(matches("deny", { "a.b": { eq: 1 } }, { a: { b: 2 }, "a.b": 1 })).toBe(true);
    expect(matches("deny", { "a.b": { eq: 1 } }, { a: { b: 1 }, "a.b": 2 })).toBe(true);
  });
  test("text that looks like JSON arguments stays text", () => {
    const rule = { method: { eq: "GET" } };
    expect(matches("allow", rule, { note: '"method":"GET"' })).toBe(false);
    expect(matches("allow", rule, { args: { method: "GET" }, method: "POST" })).toBe(false);
  });
});

test("a line break neither evades a deny nor widens an allow", () => {
  expect(matches("deny", { a: { regex: ".*secret.*" } }, { a: "x\nsecret\ny" })).toBe(true);
  expect(matches("allow", { a: { regex: "ok.*" } }, { a: "ok\nbad" })).toBe(false);
  expect(
    matches("allow", { a: { glob: "*", not: { regex: ".*secret.*" } } }, { a: "x\nsecret" }),
  ).toBe(false);
});

describe("url_prefix", () => {
  const prefix = "https://api.example.com/v1/";
  test.each(readCases<[string, boolean, boolean]>(import.meta, "conditions"))(
    "%j: allow %s, deny %s",
    (url, allowed, denied) => {
      expect([
        matches("allow", { url: { url_prefix: prefix } }, { url }),
        matches("deny", { url: { url_prefix: prefix } }, { url }),
      ]).toEqual([allowed, denied]);
    },
  );
  test("without a slash at the end, the prefix ends at a segment", () => {
    const rule = { url: { url_prefix: "https://a.example/v1" } };
    expect(matches("allow", rule, { url: "https://a.example/v1" })).toBe(true);
    expect(matches("allow", rule, { url: "https://a.example/v1/x" })).toBe(true);
    expect(matches("allow", rule, { url: "https://a.example/v1x" })).toBe(false);
  });
  test("an allowed URL has the same origin for every reader", () => {
    fc.assert(
      fc.property(
        fc.webUrl({ withFragments: true, withQueryParameters: true }),
        fc.constantFrom(...["", "@", "\\", "%2e%2e/", "/../", "\t"]),
        (url, salt) => {
          const text = url.replace("/", `${salt}/`);
          if (matches("allow", { url: { url_prefix: prefix } }, { url: text }))
            expect(new URL(text).origin).toBe("https://api.example.com");
        },
      ),
    );
  });
});

describe("network", () => {
  const rule = (action: string, network: string | readonly string[]): RuleData => ({
    action,
    tool: "web_fetch",
    network,
  });
  test.each(readCases<[string, string, boolean, boolean]>(import.meta, "two-conditions"))(
    "%s and %s: allow %s, deny %s",
    (host, url, allowed, denied) => {
      expect(effectOf([rule("allow", host)], call("web_fetch", { url })) === "allow").toBe(allowed);
      expect(effectOf([rule("deny", host)], call("web_fetch", { url })) === "deny").toBe(denied);
    },
  );
  test("a missing URL is not allowed", () => {
    expect(effectOf([rule("allow", "*")], call("web_fetch", { uri: "https://a.example" }))).toBe(
      "abstain",
    );
  });
});
