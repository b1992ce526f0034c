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
  test.each(
    readCases<readonly [string, JsonObject]>(
      new URL("cases/bypass-paths/wildcards.jsonl", import.meta.url),
    ),
  )("%s %j cannot be known", (tool, args) => {
    expect(verdictOf(rules, call(tool, args as unknown as ToolCall["args"]))).toBe(
      "ask_user unknown_path",
    );
  });

  test.each(
    readCases<readonly [string, object]>(
      new URL("cases/bypass-paths/denied-by-name.jsonl", import.meta.url),
    ),
  )("%s %j is denied by the name in it", (tool, args) =>
    expect(of(tool, args as unknown as ToolCall["args"])).toBe("deny"),
  );

  test.each(
    readCases<readonly [string, object]>(
      new URL("cases/bypass-paths/allowed.jsonl", import.meta.url),
    ),
  )("%s %j stays allowed", (tool, args) =>
    expect(of(tool, args as unknown as ToolCall["args"])).toBe("allow"),
  );
});

describe("arguments beside a shell line", () => {
  const shell: readonly RuleData[] = [
    { action: "allow", tool: "run_shell_command", command: ["cat *", "make *"] },
    { action: "deny", command: "rm *" },
    { action: "deny", paths: "/etc/**" },
  ];
  const line = (command: string, more: { readonly [name: string]: Json }): string => {
    return verdictOf(shell, call("run_shell_command", { command, ...more }));
  };
  test.each(
    readCases<readonly [JsonObject]>(
      new URL("cases/bypass-paths/working-folders.jsonl", import.meta.url),
    ),
  )("%j is not allowed", (more) => {
    expect(line("make all", more)).toBe("ask_user unknown_command");
    expect(line("rm a", more)).toBe("deny rule_denied r1");
  });
  test.each(
    readCases<readonly [JsonObject]>(
      new URL("cases/bypass-paths/harmless-arguments.jsonl", import.meta.url),
    ),
  )("%j changes nothing", (more) => expect(line("make all", more)).toBe("allow rule_allowed r0"));
  test("a file of another folder is denied where the line would find it", () => {
    expect(line("cat passwd", { directory: "/etc" })).toBe("deny rule_denied r2");
    expect(line("cat etc/passwd", { cwd: "/" })).toBe("deny rule_denied r2");
    expect(line("cat passwd", {})).toBe("allow rule_allowed r0");
  });
  test("the words of data stay data", () => {
    expect(line("echo rm a", { env: {} })).toBe("ask_user unknown_command");
  });
});

describe("further places", () => {
  test.each(
    readCases<readonly [string, JsonObject]>(
      new URL("cases/bypass-paths/unknown-arguments.jsonl", import.meta.url),
    ),
  )("%s %j cannot be known", (tool, args) => {
    expect(verdictOf(rules, call(tool, args as unknown as ToolCall["args"]))).toBe(
      "ask_user unknown_path",
    );
  });

  test.each(
    readCases<readonly [string, object]>(
      new URL("cases/bypass-paths/allowed-data.jsonl", import.meta.url),
    ),
  )("%s %j stays allowed", (tool, args) =>
    expect(of(tool, args as unknown as ToolCall["args"])).toBe("allow"),
  );

  test.each(
    readCases<readonly [string, readonly string[] | object]>(
      new URL("cases/bypass-paths/denied.jsonl", import.meta.url),
    ),
  )("%s %j is denied", (tool, args) =>
    expect(of(tool, args as unknown as ToolCall["args"])).toBe("deny"),
  );

  test("what a copy puts into a folder keeps its name there", () => {
    const own: readonly RuleData[] = [{ action: "deny", paths: "/w/hooks/pre-commit" }];
    expect(effectOf(own, call("copy_file", { source: "x/pre-commit", destination: "hooks" }))).toBe(
      "deny",
    );
  });
});

describe("tools that nobody has described", () => {
  test.each(
    readCases<readonly [JsonObject | readonly string[]]>(
      new URL("cases/bypass-paths/unknown-tools.jsonl", import.meta.url),
    ),
  )("%j is denied", (args) => {
    expect(effectOf(rules, call("my_tool", args as ToolCall["args"]))).toBe("deny");
    expect(
      effectOf(rules, call("mcp__fs__go", args as ToolCall["args"], { servers: { fs: ["go"] } })),
    ).toBe("deny");
  });
  test.each([
    [{ to: "a@example.com" }],
    [{ source: "a\nb" }],
    [{ url: "https://a.example/etc" }],
    [{ text: "/etc/passwd" }],
    [{ from: "$x" }],
  ])("%j is nobody's file", (args) =>
    expect(effectOf(rules, call("my_tool", args))).toBe("abstain"),
  );
});

describe("a folder above what is denied", () => {
  const above: readonly RuleData[] = [
    { action: "allow", paths: "/**" },
    { action: "deny", paths: ["/etc/**", "secret/deep/*.key", "~/.ssh/**"] },
    { action: "deny", paths: { write: "locked/**" } },
  ];
  test.each(
    readCases<readonly [string, JsonObject, string]>(
      new URL("cases/bypass-paths/folders-above.jsonl", import.meta.url),
    ),
  )("%s %j: %s", (tool, args, effect) => {
    expect(effectOf(above, call(tool, args as unknown as ToolCall["args"]))).toBe(effect);
  });
  test("no mode lets it through where no rule decides", () => {
    const denied = above.slice(1);
    const search = (approval_mode: "ask" | "yolo"): string =>
      effectOf(denied, call("grep", { path: "/", pattern: "x" }, { approval_mode }));
    expect([search("yolo"), search("ask")]).toEqual(["ask_user", "abstain"]);
    expect(effectOf(denied, call("grep", { path: "/", pattern: "x" }), { default: "allow" })).toBe(
      "ask_user",
    );
  });
});

test("more paths than a thousand cannot be known", () => {
  const many = (count: number): string =>
    of("read_files", { paths: Array.from({ length: count }, (_, at) => `src/${at}`) });
  expect([many(1000), many(1001), many(500_000)]).toEqual(["allow", "ask_user", "ask_user"]);
  expect(verdictOf(rules, run(`ls ${"a ".repeat(5000)}`))).toBe("ask_user unknown_command");
});

describe("what may bring files of any name", () => {
  const files: readonly RuleData[] = [
    { action: "allow", command: ["unzip *", "cp *", "black *", "git apply *", "chmod *"] },
    { action: "deny", paths: { write: ["**/.git/**", "**/.ci/flows/*.yml"] } },
  ];
  test.each([
    ["unzip x.zip", "ask_user unknown_path"],
    ["unzip x.zip -d ..", "ask_user unknown_path"],
    ["unzip x.zip -d build", "allow rule_allowed r0"],
    ["git apply x", "ask_user unknown_path"],
    ["cp -r x/. .", "ask_user unknown_path"],
    ["cp -r x/.git .", "deny rule_denied r1"],
    ["cp -r x/.ci .", "ask_user unknown_path"],
    ["cp -r x/.cj .", "allow rule_allowed r0"],
    ["cp -r x/y .", "allow rule_allowed r0"],
    ["black .", "allow rule_allowed r0"],
    ["black .git", "deny rule_denied r1"],
    ["black .ci", "ask_user unknown_path"],
  ])("%s: %s", (line, verdict) => {
    expect(verdictOf(files, run(line))).toBe(verdict);
  });
});
