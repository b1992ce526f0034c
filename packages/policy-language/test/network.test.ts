import { describe, expect, test } from "vitest";
import { call, effectOf, run } from "./calls.ts";

const OK = "https://ok.example/x";
const EVIL = "https://evil.example/x";

describe("an allow with `network` is about every URL and host that the call names", () => {
  const rules = [{ action: "allow", tool: "web_fetch", network: "ok.example" }];
  const fetch = (args: object): string => effectOf(rules, call("web_fetch", args as never));
  test.each([
    [{ prompt: EVIL }],
    [{ prompt: `read ${EVIL} too` }],
    [{ prompt: "read https:evil.example" }],
    [{ prompt: "https:\\/\\/evil.example" }],
    [{ urls: [OK, EVIL] }],
    [{ proxy: "evil.example:8080" }],
    [{ proxy: EVIL }],
    [{ options: { deep: [{ to: EVIL }] } }],
    [{ headers: { Host: "evil.example" } }],
    [{ host: 2130706433 }],
    [{ mirror: "evil.example" }],
    [{ from: "evil.example/x" }],
    [{ next: "//evil.example/x" }],
    [{ next: "www.evil" }],
    [{ [EVIL]: true }],
    [{ prompt: `${OK},${EVIL}` }],
    [{ prompt: `https://ok.example@evil.example` }],
  ])("not allowed beside its URL: %j", (more) =>
    expect(fetch({ url: OK, ...more })).toBe("abstain"),
  );
  test.each([
    [{}],
    [{ prompt: "Summarise it: what changed?" }],
    [{ prompt: `Compare with ${OK}, and (https://ok.example).` }],
    [{ urls: [OK], host: "ok.example", mirror: null, proxy: false }],
    [
      {
        method: "GET",
        timeout: 3,
        headers: { Accept: "application/json", "User-Agent": "curl/8.1" },
      },
    ],
  ])("allowed beside its URL: %j", (more) => expect(fetch({ url: OK, ...more })).toBe("allow"));
  test("a URL in another argument does not stand for the tool's own", () => {
    expect(fetch({ prompt: `read ${OK}` })).toBe("abstain");
  });
});

describe("a deny with `network` is about every URL in any argument of any tool", () => {
  const rules = [{ action: "deny", network: "evil.example" }];
  const of = (tool: string, args: unknown): string => effectOf(rules, call(tool, args as never));
  test.each([
    ["web_fetch", { prompt: `read ${EVIL}` }],
    ["web_fetch", { prompt: "read evil.example/x please" }],
    ["web_fetch", { prompt: "(https://evil.example), then stop" }],
    ["web_fetch", { prompt: "see [it](https://evil.example)" }],
    ["web_fetch", { urls: [OK, EVIL] }],
    ["web_fetch", { href: EVIL }],
    ["web_fetch", { uri: EVIL }],
    ["web_fetch", { url: OK, proxy: "evil.example:80" }],
    ["web_fetch", { url: `${OK} ${EVIL}` }],
    ["web_fetch", { url: `${OK},${EVIL}` }],
    ["anything", { url: EVIL }],
    ["anything", { url: "evil.example" }],
    ["anything", { base_url: "EVIL.example." }],
    ["anything", { deep: [{ text: `{"url":"https:\\/\\/evil.example"}` }] }],
    ["anything", { text: "user@evil.example https://a@evil.example:99/x" }],
    ["anything", { text: "https:evil.example" }],
    ["anything", [EVIL]],
    ["mcp__web__get", { target: EVIL }],
    ["read_file", { path: EVIL }],
  ])("%s %j is denied", (tool, args) => expect(of(tool, args)).toBe("deny"));
  test.each([
    ["web_fetch", { url: OK, prompt: "what is evil" }],
    ["web_fetch", { url: `${OK}?next=${EVIL}` }],
    ["anything", { text: "evil.example is a bad place" }],
    ["anything", { blocked_domains: ["evil.example"] }],
    ["write_file", { path: "a.md", content: `see ${EVIL}` }],
    ["grep", { pattern: EVIL, path: "." }],
    ["anything", { text: "https: evil.example, C:\\evil.example" }],
    ["anything", { url: "https://not-evil.example/" }],
  ])("%s %j is not", (tool, args) => expect(of(tool, args)).toBe("abstain"));
  test("a rule with `tool` looks at that tool's arguments only", () => {
    const own = [{ action: "deny", tool: "browse*", network: "evil.example" }];
    expect(effectOf(own, call("browser_open", { page: EVIL }))).toBe("deny");
    expect(effectOf(own, call("web_fetch", { url: EVIL }))).toBe("abstain");
  });
});

describe("a deny with `network` is about the URLs among the arguments of a command", () => {
  const rules = [{ action: "deny", network: "evil.example" }];
  test.each([
    [`foo ${EVIL}`, "deny"],
    ["foo --url=https://evil.example/", "deny"],
    ["foo -uhttps://evil.example", "deny"],
    [`python3 x.py ${EVIL}`, "deny"],
    [`foo '${EVIL} '`, "deny"],
    ["foo https://evil.example/$X", "deny"],
    ["foo https://$HOST/x", "ask_user"],
    [`sudo foo ${EVIL}`, "deny"],
    [`git remote add x ${EVIL}`, "deny"],
    [`echo ${EVIL}`, "abstain"],
    [`grep -r ${EVIL} .`, "abstain"],
    [`git commit -m ${EVIL}`, "abstain"],
    [`git -c a.b=c commit -m ${EVIL}`, "abstain"],
    [`foo ${OK}`, "abstain"],
  ])("%s: %s", (line, effect) => expect(effectOf(rules, run(line))).toBe(effect));
});

test("more URLs than are looked at are as good as the denied one, and take no time", () => {
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
