import * as fc from "fast-check";
import micromatch from "micromatch";
import type { Json, ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { compilePolicy } from "../src/index.ts";
import { call, effectOf, run, verdictOf } from "./calls.ts";
import { policyOf, type RuleData } from "./toml.ts";

const STAMP = "@bylaw/plugin-policy";

const allow = (paths: RuleData[string], more: RuleData = {}): RuleData => ({
  action: "allow",
  paths,
  ...more,
});
const deny = (paths: RuleData[string], more: RuleData = {}): RuleData => ({
  action: "deny",
  paths,
  ...more,
});
const read = (path: Json, more: Partial<ToolCall> = {}): ToolCall =>
  call("read_file", { path }, more);
const write = (path: Json, more: Partial<ToolCall> = {}): ToolCall =>
  call("write_file", { path }, more);

describe("globs", () => {
  test.each(readCases<[string, string, boolean]>(import.meta, "globs"))(
    "`%s` and `%s`: %s",
    (glob, path, inside) => {
      expect([effectOf([allow(glob)], read(path)), effectOf([deny(glob)], read(path))]).toEqual(
        inside ? ["allow", "deny"] : ["abstain", "abstain"],
      );
    },
  );

  test("agree with micromatch wherever both are defined", () => {
    const names = fc.constantFrom("a", "b", "ab", "aa", ".a", "a.b", "...");
    const part = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("**", "*", "a", "b", "?", ".a") },
      fc.constantFrom("*a", "a*", "a*b", "*.*", "[ab]", "{a,b}", "a{b,a}", "*a*"),
    );
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 5 }),
        fc.array(names, { minLength: 1, maxLength: 5 }),
        (glob, path) => {
          // After a wildcard, micromatch requires at least one segment for a last `**`. Here it is always any number.
          fc.pre(
            !(
              glob.at(-1) === "**" &&
              /[*?[]/.test(glob.findLast((segment) => segment !== "**") ?? "")
            ),
          );
          // Tested below a folder, because micromatch does not let `/**/x` match at the root.
          const pattern = `/w/${glob.join("/")}`;
          const text = `/w/${path.join("/")}`;
          const wanted = micromatch.isMatch(text, pattern, { dot: true });
          expect([pattern, text, effectOf([allow(pattern)], read(text)) === "allow"]).toEqual([
            pattern,
            text,
            wanted,
          ]);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("hostile paths return, with the result of the definition", () => {
    const hostile = `/${"a".repeat(2000)}/${"aa/".repeat(600)}x`;
    for (const glob of [
      "/*a*a*a*a*a*a*a*b/**",
      "/**/a*/**/a*/**/a*/**/a*/**/b",
      "/**/*a*a*a*a*a*b",
    ]) {
      expect(effectOf([allow(glob)], read(hostile))).toBe("abstain");
    }
    expect(effectOf([allow("/**/aa/**/aa/**/aa/**/aa/**/x")], read(hostile))).toBe("allow");
  });
});

describe("access", () => {
  const both = [allow({ read: ["**"], write: "src/**" })];
  test("reading and writing are told apart", () => {
    expect(effectOf(both, read("docs/a"))).toBe("allow");
    expect(effectOf(both, write("docs/a"))).toBe("abstain");
    expect(effectOf(both, write("src/a"))).toBe("allow");
    expect(effectOf([deny({ write: "**" })], read("a"))).toBe("abstain");
    expect(effectOf([deny({ write: "**" })], write("a"))).toBe("deny");
  });
  test("a copy reads one path and writes the other", () => {
    const copy = (source: string, destination: string) =>
      call("copy_file", { source, destination });
    expect(effectOf(both, copy("docs/a", "src/a"))).toBe("allow");
    expect(effectOf(both, copy("src/a", "docs/a"))).toBe("abstain");
  });
  test("an allow must cover every path, a deny only one", () => {
    const many = (...paths: string[]) => call("read_files", { paths });
    expect(effectOf([allow("src/**")], many("src/a", "src/b"))).toBe("allow");
    expect(effectOf([allow("src/**")], many("src/a", "x"))).toBe("abstain");
    expect(effectOf([deny("x")], many("src/a", "x"))).toBe("deny");
    expect(
      effectOf([allow("src/**")], call("read_file", { path: "src/a", file_path: "/etc/passwd" })),
    ).toBe("abstain");
  });
});

describe("an unknown path is never allowed, and not left to the mode", () => {
  test.each<readonly [Json]>([
    ...readCases<[Json]>(import.meta, "unknown"),
    [`src/${"a".repeat(4100)}`],
  ])("%j", (path) => {
    expect(verdictOf([allow("**", { priority: "admin" })], read(path))).toBe(
      "ask_user unknown_path",
    );
    expect(
      verdictOf([deny("/etc/**"), { action: "allow", tool: "read_file" }], read(path), {
        default: "allow",
      }),
    ).toMatch(/ unknown_path$/);
    expect(verdictOf([deny("/etc/**")], read(path), { default: "deny" })).toBe("deny unknown_path");
  });
  test("no path at all", () => {
    expect(verdictOf([allow("**")], call("read_file", { PATH: "src/a" }))).toBe(
      "ask_user unknown_path",
    );
    expect(verdictOf([allow("**")], call("read_file", ["src/a"]))).toBe("ask_user unknown_path");
  });
  test("a relative path without a working directory, a home path without a home folder", () => {
    expect(
      verdictOf([allow("**")], { hook: "beforeToolCall", tool: "read_file", args: { path: "a" } }),
    ).toBe("ask_user unknown_path");
    expect(
      verdictOf([allow("**")], {
        hook: "beforeToolCall",
        tool: "read_file",
        args: { path: "~/a" },
      }),
    ).toBe("ask_user unknown_path");
    expect(
      verdictOf([deny("~/.ssh/**")], {
        hook: "beforeToolCall",
        tool: "read_file",
        args: { path: "/a" },
      }),
    ).toBe("ask_user unknown_path");
    expect(
      verdictOf([deny("src/**")], {
        hook: "beforeToolCall",
        tool: "read_file",
        args: { path: "/a" },
      }),
    ).toBe("ask_user unknown_path");
  });
  test("a deny still matches the known paths of the call", () => {
    expect(effectOf([deny("/etc/**")], call("read_files", { paths: ["$X", "/etc/passwd"] }))).toBe(
      "deny",
    );
  });
  test("without a rule about files, unknown paths do not matter", () => {
    expect(verdictOf([{ action: "allow", tool: "read_file" }], read("$HOME/x"))).toBe(
      "allow rule_allowed r0",
    );
  });
});

describe("tools", () => {
  test("a search without a path uses the working directory, and its glob must not leave it", () => {
    expect(effectOf([allow("**", { tool: "glob" })], call("glob", { pattern: "*.ts" }))).toBe(
      "allow",
    );
    expect(effectOf([allow("/etc/**", { tool: "glob" })], call("glob", { pattern: "*.ts" }))).toBe(
      "abstain",
    );
    for (const pattern of ["/etc/*", "../*", "src/../../x", "~/x", "$X"]) {
      expect(verdictOf([allow("**", { tool: "glob" })], call("glob", { pattern }))).toBe(
        "ask_user unknown_path",
      );
    }
  });
  test("for an unknown tool, arguments that look like paths can deny but never allow", () => {
    expect(effectOf([deny("/etc/**")], call("my_reader", { filename: "/etc/passwd" }))).toBe(
      "deny",
    );
    expect(
      effectOf(
        [deny("/etc/**")],
        call("mcp__fs__read_file", { path: "/etc/passwd" }, { servers: { fs: ["read_file"] } }),
      ),
    ).toBe("deny");
    expect(effectOf([allow("**")], call("my_reader", { filename: "/w/a" }))).toBe("abstain");
    expect(
      effectOf(
        [allow("**")],
        call("mcp__fs__read_file", { path: "/w/a" }, { servers: { fs: ["read_file"] } }),
      ),
    ).toBe("abstain");
    expect(verdictOf([deny("/etc/**")], call("my_reader", { path: "$X" }))).toBe(
      "ask_user unknown_path",
    );
    expect(
      verdictOf(
        [deny("/etc/**"), { action: "allow", tool: "my_reader" }],
        call("my_reader", { path: "$.a" }),
      ),
    ).toBe("allow rule_allowed r1");
  });
});

describe("a shell line", () => {
  test.each(readCases<[string, string]>(import.meta, "lines"))("%s: %s", (line, effect) => {
    expect(
      effectOf(
        [allow("/w/**", { tool: "run_shell_command", command: "cat *" }), deny("/etc/**")],
        run(line),
      ),
    ).toBe(effect);
  });
  test("words that are only text do not count as files", () => {
    expect(effectOf([deny("/etc/**")], run("echo /etc/passwd"))).toBe("abstain");
  });
});

describe("real paths", () => {
  const real = (text: string, ...places: string[]): Partial<ToolCall> => ({
    facts: { [STAMP]: { paths: [[text, ...places]] } },
  });
  test("a link out of the workspace is not allowed, and is denied by its target", () => {
    expect(effectOf([allow("src/**")], read("src/a", real("src/a", "/w/src/a")))).toBe("allow");
    expect(effectOf([allow("src/**")], read("src/a", real("src/a", "/etc/passwd")))).toBe(
      "abstain",
    );
    expect(effectOf([deny("/etc/**")], read("src/a", real("src/a", "/etc/passwd")))).toBe("deny");
  });
  test("the written path is denied too", () => {
    expect(effectOf([deny("src/**")], read("src/a", real("src/a", "/x")))).toBe("deny");
  });
  test("the host may choose the name of the fact", () => {
    const pool = compilePolicy([policyOf([{ name: "a", ...deny("/etc/**") }])], {
      pathsFact: "mine",
    });
    const of = (name: string): unknown =>
      pool.evaluate(read("a", { facts: { [name]: { paths: [["a", "/etc/x"]] } } }))?.[0]?.effect;
    expect([of("mine"), of(STAMP)]).toEqual(["deny", undefined]);
  });
  test("only denies use further names", () => {
    const one = read("src/a", real("src/a", "/w/src/a", "/data/w/src/a"));
    expect(effectOf([allow("src/**")], one)).toBe("allow");
    expect(effectOf([deny("/data/**")], one)).toBe("deny");
  });
  test("a path that could not be resolved is unknown", () => {
    expect(verdictOf([allow("**")], read("src/a", real("src/a")))).toBe("ask_user unknown_path");
  });
});

describe("edits inside the workspace", () => {
  const pool = compilePolicy([policyOf([])]);
  test.each(readCases<[ToolCall, boolean]>(import.meta, "cases"))("%#", (one, edits) =>
    expect([one.args, pool.editsWorkspace(one)]).toEqual([one.args, edits]),
  );
});

test("the reason for unknown paths or commands is a fact, not advice", () => {
  const reasons = [
    call("read_file"),
    call("read_file", { path: "a", target: "b" }),
    read("/proc/self/root/etc/x"),
    run("eval $X"),
    run("$X"),
  ].map((one) => {
    const rules = [deny("/etc/**"), { action: "deny", command: "rm *" }].map((rule, at) => ({
      name: `r${at}`,
      ...rule,
    }));
    return compilePolicy([policyOf(rules)]).evaluate(one)?.[0]?.reason ?? "";
  });
  expect(reasons[0]).toBe("Cannot tell which files this call uses: a file tool without a path");
  for (const reason of reasons)
    expect(reason).toMatch(
      /^Cannot tell (?:which files this call uses|what this command line would do): /,
    );
});
