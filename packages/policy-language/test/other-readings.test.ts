import type { Json, ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { compilePolicy } from "../src/index.ts";
import { call, effectOf, run, verdictOf } from "./calls.ts";
import { policyOf, type RuleData } from "./toml.ts";

const STAMP = "@bylaw/plugin-policy";
const read = (path: Json): ToolCall => call("read_file", { path });
const inside: RuleData = { action: "allow", tool: "read_file", paths: "/w/**" };
const env: RuleData = { action: "deny", tool: "*", paths: "**/.env" };
const cat: RuleData = {
  action: "allow",
  tool: "run_shell_command",
  command: ["cat *", "cp *"],
  paths: "/w/**",
};
const etc: RuleData = { action: "deny", tool: "*", paths: "/etc/**" };

describe("a glob that may match the parent folder", () => {
  test.each(readCases<string>(import.meta, "unknown-paths"))("`%s` is not known", (command) => {
    expect(verdictOf([cat], run(command))).toMatch(/^ask_user unknown_/);
    expect(effectOf([etc], run(command), { default: "allow" })).toBe("ask_user");
  });
  test.each(["cat src/*.ts", "cat .e*/x", "cat ...?/x", "cat ./*.d/x", "cat ./?/x"])(
    "`%s` is not such a one",
    (command) => {
      expect(effectOf([cat], run(command))).toBe("allow");
    },
  );
});

describe("paths that globs find through links", () => {
  const line = (command: string, globs: Json | undefined): ToolCall => ({
    ...run(command),
    facts: { [STAMP]: { paths: [["src", "/w/src"]], ...(globs === undefined ? {} : { globs }) } },
  });
  test("count like paths that the command names", () => {
    const found = (place: string): Json => [{ pattern: "src/*/key", places: [[place]] }];
    expect(verdictOf([cat, etc], line("cat src/*/key", found("/etc/key")))).toBe(
      "deny rule_denied r1",
    );
    expect(effectOf([cat], line("cat src/*/key", found("/home/key")))).toBe("abstain");
    expect(effectOf([cat], line("cat src/*/key", found("/w/other/key")))).toBe("allow");
    expect(effectOf([cat], line("cat src/*/key", [{ pattern: "src/*/key", places: [] }]))).toBe(
      "allow",
    );
  });
  test("are unknown if a host resolved paths, but not this glob", () => {
    expect(verdictOf([cat], line("cat src/*/key", [{ pattern: "src/*/key" }]))).toBe(
      "ask_user unknown_path",
    );
    expect(verdictOf([cat], line("cat src/*/key", undefined))).toBe("ask_user unknown_path");
    expect(effectOf([cat], run("cat src/*/key"))).toBe("allow");
  });
});

describe("a path of a file tool that a lax reader understands differently", () => {
  test.each(readCases<string>(import.meta, "unknown"))("%j is unknown", (path) => {
    expect(verdictOf([inside], read(path))).toBe("ask_user unknown_path");
  });
  test.each(["/w/%2e%2e/etc/passwd", "/w/..%2f..%2fetc", "/w/%252e%252e/x", "/w/a%5cb"])(
    "%j is not allowed, and nothing else",
    (path) => {
      expect(effectOf([inside], read(path))).toBe("abstain");
      expect(effectOf([etc], read(path), { default: "allow" })).toBe("abstain");
    },
  );
  test.each(["/w/.env.", "/w/.env:stream", "/w/.env::a", "/w/a/.env..."])(
    "%j is the file that a deny names",
    (path) => {
      expect(verdictOf([inside, env], read(path))).toBe("deny rule_denied r1");
    },
  );
  test.each(readCases<string>(import.meta, "readings"))("%j is read as written", (path) => {
    expect(effectOf([inside], read(path))).toBe("allow");
  });
  test.each(["/w/$HOME/x", "/w/${id}", "/w/$(id)", "/w/$_x"])("%j has a variable", (path) => {
    expect(verdictOf([inside], read(path))).toBe("ask_user unknown_path");
  });
  test("none of them counts as an ordinary edit", () => {
    const pool = compilePolicy([policyOf([])]);
    const edits = (path: string): boolean =>
      pool.editsWorkspace(call("write_file", { path, content: "x" }));
    expect([edits("/w/a"), edits("/w/%2e%2e/a"), edits("file:/w/a"), edits("/w/a ")]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

test("a dollar sign in quotes is part of the name", () => {
  expect(effectOf([cat], run("cat 'src/routes/$id.tsx'"))).toBe("allow");
  expect(effectOf([cat], run("cat src/routes/$id.tsx"))).not.toBe("allow");
});

test("the path of a program in a system folder needs no separate allow, but a deny still matches it", () => {
  expect(effectOf([cat], run("/usr/bin/cat src/a"))).toBe("allow");
  expect(effectOf([cat], run("/usr/bin/cat /etc/a"))).not.toBe("allow");
  expect(effectOf([cat], run("/opt/cat src/a"))).not.toBe("allow");
});

describe("a second key that differs only in case", () => {
  const get: RuleData = { action: "allow", tool: "http_request", args: { method: { eq: "GET" } } };
  const deep: RuleData = { action: "allow", tool: "http_request", args: { "a.b": { eq: 1 } } };
  const none: RuleData = {
    action: "allow",
    tool: "http_request",
    args: { method: { exists: false } },
  };
  test("satisfies no allow", () => {
    expect(effectOf([get], call("http_request", { method: "GET", Method: "DELETE" }))).toBe(
      "abstain",
    );
    expect(effectOf([get], call("http_request", { METHOD: "DELETE", method: "GET" }))).toBe(
      "abstain",
    );
    expect(effectOf([deep], call("http_request", { a: { b: 1, B: 2 } }))).toBe("abstain");
    expect(effectOf([deep], call("http_request", { a: { b: 1 }, A: { b: 2 } }))).toBe("abstain");
    expect(effectOf([none], call("http_request", { Method: "DELETE" }))).toBe("abstain");
  });
  test("does not affect other keys", () => {
    expect(effectOf([get], call("http_request", { method: "GET", methods: 1, Url: "x" }))).toBe(
      "allow",
    );
    expect(effectOf([deep], call("http_request", { a: { b: 1, c: 2 } }))).toBe("allow");
    expect(effectOf([none], call("http_request", { url: "x" }))).toBe("allow");
  });
});

describe("the text for command_regex", () => {
  const npm: RuleData = {
    action: "allow",
    tool: "run_shell_command",
    command_regex: "npm run [a-z:]+",
  };
  test("never reads one word with a space as two in an allow", () => {
    expect(effectOf([npm], run("npm run test"))).toBe("allow");
    expect(effectOf([npm], run("npm 'run' \"test\""))).toBe("allow");
    expect(effectOf([npm], run("npm 'run test'"))).toBe("abstain");
    expect(effectOf([{ ...npm, command_regex: "npm run( x)?" }], run("npm run '' x"))).toBe(
      "abstain",
    );
    expect(effectOf([{ ...npm, command_regex: "npm run 'a b'" }], run('npm run "a b"'))).toBe(
      "allow",
    );
  });
  test("is tried in both forms for a deny", () => {
    expect(effectOf([{ ...npm, action: "deny" }], run("npm 'run test'"))).toBe("deny");
    expect(
      effectOf(
        [{ ...npm, action: "deny", command_regex: "npm 'run test'" }],
        run("npm 'run test'"),
      ),
    ).toBe("deny");
  });
});

describe("another argument that a rule names", () => {
  const git: RuleData = { action: "allow", tool: "run_shell_command", command: "git status" };
  const sandbox: RuleData = {
    action: "deny",
    tool: "run_shell_command",
    args: { disable_sandbox: { eq: true } },
  };
  const status = (more: { readonly [name: string]: Json }): ToolCall =>
    call("run_shell_command", { command: "git status", ...more });
  test.each([false, null, 0, ""])("does not matter if it is %j", (value) => {
    expect(effectOf([git, sandbox], status({ disable_sandbox: value }))).toBe("allow");
    expect(effectOf([git], status({ disable_sandbox: value }))).toBe("ask_user");
    expect(effectOf([git, { ...sandbox, shadow: true }], status({ disable_sandbox: value }))).toBe(
      "ask_user",
    );
  });
  test("matters if it is on", () => {
    expect(effectOf([git, sandbox], status({ disable_sandbox: true }))).toBe("deny");
    for (const value of ["false", 1, [], {}])
      expect(effectOf([git, sandbox], status({ disable_sandbox: value }))).not.toBe("allow");
  });
});

describe("url_prefix", () => {
  const api: RuleData = {
    action: "allow",
    tool: "http_request",
    args: { url: { url_prefix: "https://api.example/v1/" } },
  };
  const get = (url: string): string => effectOf([api], call("http_request", { url }));
  test.each(["@scope/pkg", "users/a@b.example", "./a", "a/.", "café", "a?x=@y"])(
    "covers …/v1/%s",
    (rest) => {
      expect(get(`https://api.example/v1/${rest}`)).toBe("allow");
    },
  );
  test("accepts an empty port, but no other host after one", () => {
    expect(get("https://api.example:/v1/a")).toBe("allow");
    expect(get("https://api.example:@evil.example/v1/a")).toBe("abstain");
    expect(get("https://api.example:8/v1/a")).toBe("abstain");
  });
  test.each(readCases<string>(import.meta, "url-spellings"))("does not cover …/v1/%s", (rest) => {
    expect(get(`https://api.example/v1/${rest}`)).toBe("abstain");
  });
});

describe("a call that exceeds the limit of comparisons", () => {
  const rules = Array.from({ length: 2000 }, (_, at): RuleData => ({
    action: "deny",
    tool: "run_shell_command",
    // No required word distinguishes these rules.
    command: `git sub${at}* *`,
  }));
  const many = compilePolicy([
    policyOf(
      rules.map((rule, at) => ({ name: `r${at}`, ...rule })),
      { default: "allow" },
    ),
  ]);
  const strict = compilePolicy([
    policyOf(
      rules.map((rule, at) => ({ name: `r${at}`, ...rule })),
      { default: "deny" },
    ),
  ]);
  const commands = (count: number): string =>
    Array.from({ length: count }, (_, at) => `git x${at}`).join("; ");
  test("is denied, whatever the default is", () => {
    expect(many.evaluate(run(commands(10)))?.[0]?.effect).toBeUndefined();
    expect(many.evaluate(run(commands(200)))?.[0]).toMatchObject({
      effect: "deny",
      code: "unknown_command",
    });
    expect(strict.evaluate(run(commands(200)))?.[0]).toMatchObject({
      effect: "deny",
      code: "unknown_command",
    });
  });
  test("is denied by the rule if a deny is found first", () => {
    expect(many.evaluate(run(`git sub1 x; ${commands(200)}`))?.[0]).toMatchObject({
      effect: "deny",
      rule: { name: "r1" },
    });
  });
});
