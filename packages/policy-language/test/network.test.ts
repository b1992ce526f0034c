import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { call, effectOf, run } from "./calls.ts";

const OK = "https://ok.example/x";
const EVIL = "https://evil.example/x";

describe("an allow with `network` must cover every URL and host that the call names", () => {
  const rules = [{ action: "allow", tool: "web_fetch", network: "ok.example" }];
  const fetch = (args: object): string => effectOf(rules, call("web_fetch", args as never));
  test.each(readCases<[object]>(import.meta, "not-allowed-beside-url"))(
    "not allowed beside its URL: %j",
    (more) => expect(fetch({ url: OK, ...more })).toBe("abstain"),
  );
  test.each(readCases<[object]>(import.meta, "allowed-beside-url"))(
    "allowed beside its URL: %j",
    (more) => expect(fetch({ url: OK, ...more })).toBe("allow"),
  );
  test("a URL in another argument does not replace the tool's own", () => {
    expect(fetch({ prompt: `read ${OK}` })).toBe("abstain");
  });
});

describe("a deny with `network` matches every URL in any argument of any tool", () => {
  const rules = [{ action: "deny", network: "evil.example" }];
  const of = (tool: string, args: unknown): string => effectOf(rules, call(tool, args as never));
  test.each(readCases<[string, object | string[]]>(import.meta, "denied"))(
    "%s %j is denied",
    (tool, args) => expect(of(tool, args)).toBe("deny"),
  );
  test.each(readCases<[string, object]>(import.meta, "not-denied"))("%s %j is not", (tool, args) =>
    expect(of(tool, args)).toBe("abstain"),
  );
  test("a rule with `tool` looks only at the arguments of that tool", () => {
    const own = [{ action: "deny", tool: "browse*", network: "evil.example" }];
    expect(effectOf(own, call("browser_open", { page: EVIL }))).toBe("deny");
    expect(effectOf(own, call("web_fetch", { url: EVIL }))).toBe("abstain");
  });
});

describe("a deny with `network` matches URLs among the arguments of a command", () => {
  const rules = [{ action: "deny", network: "evil.example" }];
  test.each(readCases<[string, string]>(import.meta, "lines"))("%s: %s", (line, effect) =>
    expect(effectOf(rules, run(line))).toBe(effect),
  );
});

test("more URLs than the limit are denied, and take no time", () => {
  const rules = [{ action: "deny", network: "evil.example" }];
  const of = (text: string): string => effectOf(rules, call("anything", { text }));
  expect(of("https://ok.example/ ".repeat(100))).toBe("abstain");
  expect(of(`${"https://ok.example/ ".repeat(100)}https://${"a".repeat(9000)}@evil.example`)).toBe(
    "deny",
  );
  expect([
    of("https://ok.example/ ".repeat(100_000)),
    of("a://".repeat(500_000)),
    of("x".repeat(2_000_000)),
  ]).toEqual(["deny", "deny", "abstain"]);
  const allow = [{ action: "allow", tool: "web_fetch", network: "ok.example" }];
  const fetch = (prompt: string): string => effectOf(allow, call("web_fetch", { url: OK, prompt }));
  expect([fetch(`${OK} `.repeat(100)), fetch(`${OK} `.repeat(100_000))]).toEqual([
    "allow",
    "abstain",
  ]);
});
