import type { Json, ToolCall, JsonObject } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { call, effectOf, run, verdictOf } from "./calls.ts";
import type { RuleData } from "./toml.ts";

const rules: readonly RuleData[] = [
  { action: "allow", paths: ["/w/**", "/w"] },
  { action: "deny", paths: ["**/.env", "**/.ssh/**", "/etc/**"] },
];
const of = (tool: string, args: ToolCall["args"], more: Partial<ToolCall> = {}): string =>
  effectOf(rules, call(tool, args, more));

describe("wildcards", () => {
  test.each(readCases<[string, JsonObject]>(import.meta, "wildcards"))(
    "%s %j cannot be known",
    (tool, args) => {
      expect(verdictOf(rules, call(tool, args as unknown as ToolCall["args"]))).toBe(
        "ask_user unknown_path",
      );
    },
  );

  test.each(readCases<[string, object]>(import.meta, "denied-by-name"))(
    "%s %j is denied by the name in it",
    (tool, args) => expect(of(tool, args as unknown as ToolCall["args"])).toBe("deny"),
  );

  test.each(readCases<[string, object]>(import.meta, "allowed"))(
    "%s %j stays allowed",
    (tool, args) => expect(of(tool, args as unknown as ToolCall["args"])).toBe("allow"),
  );
});

describe("other arguments of a shell tool", () => {
  const shell: readonly RuleData[] = [
    { action: "allow", tool: "run_shell_command", command: ["cat *", "make *"] },
    { action: "deny", command: "rm *" },
    { action: "deny", paths: "/etc/**" },
  ];
  const line = (command: string, more: { readonly [name: string]: Json }): string => {
    return verdictOf(shell, call("run_shell_command", { command, ...more }));
  };
  test.each(readCases<[JsonObject]>(import.meta, "working-folders"))(
    "%j is not allowed",
    (more) => {
      expect(line("make all", more)).toBe("ask_user unknown_command");
      expect(line("rm a", more)).toBe("deny rule_denied r1");
    },
  );
  test.each(readCases<[JsonObject]>(import.meta, "harmless-arguments"))(
    "%j changes nothing",
    (more) => expect(line("make all", more)).toBe("allow rule_allowed r0"),
  );
  test("a file is denied if the line would find it in the other folder", () => {
    expect(line("cat passwd", { directory: "/etc" })).toBe("deny rule_denied r2");
    expect(line("cat etc/passwd", { cwd: "/" })).toBe("deny rule_denied r2");
    expect(line("cat passwd", {})).toBe("allow rule_allowed r0");
  });
  test("words that are data stay data", () => {
    expect(line("echo rm a", { env: {} })).toBe("ask_user unknown_command");
  });
});

describe("further paths of a file tool", () => {
  test.each(readCases<[string, JsonObject]>(import.meta, "unknown-arguments"))(
    "%s %j cannot be known",
    (tool, args) => {
      expect(verdictOf(rules, call(tool, args as unknown as ToolCall["args"]))).toBe(
        "ask_user unknown_path",
      );
    },
  );

  test.each(readCases<[string, object]>(import.meta, "allowed-data"))(
    "%s %j stays allowed",
    (tool, args) => expect(of(tool, args as unknown as ToolCall["args"])).toBe("allow"),
  );

  test.each(readCases<[string, string[] | object]>(import.meta, "denied"))(
    "%s %j is denied",
    (tool, args) => expect(of(tool, args as unknown as ToolCall["args"])).toBe("deny"),
  );

  test("a file that is copied into a folder keeps its name there", () => {
    const own: readonly RuleData[] = [{ action: "deny", paths: "/w/hooks/pre-commit" }];
    expect(effectOf(own, call("copy_file", { source: "x/pre-commit", destination: "hooks" }))).toBe(
      "deny",
    );
  });
});

describe("unknown tools", () => {
  test.each(readCases<[JsonObject | string[]]>(import.meta, "unknown-tools"))(
    "%j is denied",
    (args) => {
      expect(effectOf(rules, call("my_tool", args as ToolCall["args"]))).toBe("deny");
      expect(
        effectOf(rules, call("mcp__fs__go", args as ToolCall["args"], { servers: { fs: ["go"] } })),
      ).toBe("deny");
    },
  );
  test.each(readCases<[JsonObject]>(import.meta, "arguments-without-files"))(
    "%j names no file",
    (args) => expect(effectOf(rules, call("my_tool", args))).toBe("abstain"),
  );
});

describe("a folder above a denied file", () => {
  const above: readonly RuleData[] = [
    { action: "allow", paths: "/**" },
    { action: "deny", paths: ["/etc/**", "secret/deep/*.key", "~/.ssh/**"] },
    { action: "deny", paths: { write: "locked/**" } },
  ];
  test.each(readCases<[string, JsonObject, string]>(import.meta, "folders-above"))(
    "%s %j: %s",
    (tool, args, effect) => {
      expect(effectOf(above, call(tool, args as unknown as ToolCall["args"]))).toBe(effect);
    },
  );
  test("no mode allows it if no rule decides", () => {
    const denied = above.slice(1);
    const search = (approval_mode: "ask" | "yolo"): string =>
      effectOf(denied, call("grep", { path: "/", pattern: "x" }, { approval_mode }));
    expect([search("yolo"), search("ask")]).toEqual(["ask_user", "abstain"]);
    expect(effectOf(denied, call("grep", { path: "/", pattern: "x" }), { default: "allow" })).toBe(
      "ask_user",
    );
  });
});

test("a call with more than a thousand paths is unknown", () => {
  const many = (count: number): string =>
    of("read_files", { paths: Array.from({ length: count }, (_, at) => `src/${at}`) });
  expect([many(1000), many(1001), many(500_000)]).toEqual(["allow", "ask_user", "ask_user"]);
  expect(verdictOf(rules, run(`ls ${"a ".repeat(5000)}`))).toBe("ask_user unknown_command");
});

describe("a command that may create files of any name", () => {
  const files: readonly RuleData[] = [
    { action: "allow", command: ["unzip *", "cp *", "black *", "git apply *", "chmod *"] },
    { action: "deny", paths: { write: ["**/.git/**", "**/.ci/flows/*.yml"] } },
  ];
  test.each(readCases<[string, string]>(import.meta, "lines-that-bring-files"))(
    "%s: %s",
    (line, verdict) => {
      expect(verdictOf(files, run(line))).toBe(verdict);
    },
  );
});
