import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { compilePolicy, withoutRules } from "../src/index.ts";
import { call, run, verdictOf } from "./calls.ts";
import { policyOf, type RuleData } from "./toml.ts";

const rule = (action: string, priority: string, more: RuleData = {}): RuleData => ({
  action,
  priority,
  tool: "t",
  ...more,
});

test.each(readCases<[string, RuleData[], string]>(import.meta, "tiers"))(
  "tiers: %s",
  (_, rules, expected) => expect(verdictOf(rules, call("t"))).toBe(expected),
);

test("rules in shadow are recorded in addition to the vote, or alone", () => {
  const pool = compilePolicy([
    policyOf([
      { name: "b", ...rule("deny", "admin", { shadow: true }) },
      { name: "a", ...rule("ask_user", "user", { shadow: true }) },
      { name: "c", ...rule("allow", "user") },
    ]),
  ]);
  expect(
    pool.evaluate(call("t"))?.map(({ effect, shadow, rule: one }) => [effect, shadow, one?.name]),
  ).toEqual([
    ["allow", undefined, "c"],
    ["ask_user", true, "a"],
    ["deny", true, "b"],
  ]);
  const alone = compilePolicy([
    policyOf([{ name: "b", ...rule("deny", "admin", { shadow: true }) }]),
  ]);
  expect(alone.evaluate(call("t"))?.every(({ shadow }) => shadow === true)).toBe(true);
});

test("a verdict contains the rule's texts and position", () => {
  const pool = compilePolicy([
    policyOf([{ name: "r", action: "deny", tool: "t", reason: "No t here.", fix: "use u" }]),
  ]);
  expect(pool.evaluate(call("t"))).toEqual([
    {
      effect: "deny",
      code: "rule_denied",
      reason: "No t here.",
      fix: "use u",
      rule: { name: "r", file: "policy.toml", line: 1 },
    },
  ]);
  const generated = compilePolicy([policyOf([{ name: "r", action: "deny", tool: "t" }])]).evaluate(
    call("t"),
  )?.[0]?.reason;
  expect(generated).toBe("The rule `r` denies this.");
});

test("the fallback is the strictest default of all files", () => {
  const files = [{}, { default: "allow" }, { default: "deny" }, { default: "ask_user" }].map(
    (top, at) => policyOf([], top, `${at}.toml`),
  );
  expect(compilePolicy(files).fallback).toBe("deny");
  expect(compilePolicy(files.slice(0, 2)).fallback).toBe("allow");
  expect(compilePolicy(files.slice(0, 1)).fallback).toBeUndefined();
});

test("rules with the same name in different files are kept apart", () => {
  const files = ["b.toml", "a.toml"].map((file) =>
    policyOf([{ name: "r", action: "deny", tool: "t" }], {}, file),
  );
  expect(compilePolicy(files).evaluate(call("t"))?.[0]?.rule?.file).toBe("a.toml");
});

test("removed rules are gone, but final rules stay", () => {
  const file = policyOf([
    { name: "a", action: "deny", tool: "t" },
    { name: "b", action: "ask_user", tool: "t", final: true },
  ]);
  const pool = compilePolicy([withoutRules(file, new Set(["a", "b"]))]);
  expect(pool.rules.map(({ name }) => name)).toEqual(["b"]);
  expect(pool.evaluate(call("t"))?.[0]?.effect).toBe("ask_user");
});

test("explain reports for every rule whether it matches, or which key does not", () => {
  const pool = compilePolicy([
    policyOf([
      { name: "a", action: "allow", tool: "t", agent: "x" },
      { name: "b", action: "ask_user", tool: "t" },
      { name: "c", action: "deny", tool: "u" },
      { name: "d", action: "deny", tool: "t", args: { n: { eq: 1 } }, shadow: true },
    ]),
  ]);
  expect(
    pool
      .explain(call("t"))
      .map(({ name, matched, failed, deciding }) => [name, matched, failed, deciding]),
  ).toEqual([
    ["a", false, "agent", false],
    ["b", true, undefined, true],
    ["c", false, "tool", false],
    ["d", false, "args.n", false],
  ]);
});

describe("conditions on the caller and the mode", () => {
  const cases: readonly (readonly [string, RuleData, Parameters<typeof call>[2], boolean])[] =
    readCases<[string, RuleData, Parameters<typeof call>[2], boolean]>(import.meta, "readings");
  test.each(cases)("%s", (_, part, more, matches) => {
    for (const action of ["allow", "ask_user", "deny"]) {
      expect(verdictOf([{ action, tool: "t", ...part }], call("t", {}, more)).split(" ")[0]).toBe(
        matches ? action : "abstain",
      );
    }
  });
});

describe("tool names are exact", () => {
  test.each(["T", "t ", " t", "tt", "t\u200b", "ｔ", "t\u0301"])("%j is another tool", (tool) => {
    expect(verdictOf([{ action: "allow", tool: "t" }], call(tool))).toBe("abstain");
    expect(verdictOf([{ action: "deny", tool: "t" }], call(tool))).toBe("abstain");
  });
  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "%s is a name like any other",
    (tool) => {
      expect(verdictOf([{ action: "allow", tool: "t", args: { a: { eq: 1 } } }], call(tool))).toBe(
        "abstain",
      );
      expect(verdictOf([{ action: "deny", tool }], call(tool))).toBe("deny rule_denied r0");
    },
  );
  test("globs, alternatives and braces", () => {
    for (const [tool, name, matches] of readCases<[string, string, boolean]>(
      import.meta,
      "globs",
    )) {
      expect([tool, name, verdictOf([{ action: "deny", tool }], call(name))]).toEqual([
        tool,
        name,
        matches ? "deny rule_denied r0" : "abstain",
      ]);
    }
  });
});

test("pattern is a tool glob, or with a space in it a word pattern for the shell", () => {
  expect(verdictOf([{ action: "deny", pattern: "file_*" }], call("file_read"))).toBe(
    "deny rule_denied r0",
  );
  expect(verdictOf([{ action: "deny", pattern: "rm -rf *" }], run("rm -rf /"))).toBe(
    "deny rule_denied r0",
  );
  expect(verdictOf([{ action: "deny", pattern: "rm -rf *" }], call("rm -rf x"))).toBe("abstain");
});
