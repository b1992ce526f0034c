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

  test.each([
    ["grep", { path: "src", include: ".env", pattern: "KEY" }],
    ["grep", { path: "src", include: "**/.env", pattern: "KEY" }],
    ["grep", { path: "src", include: ["a", "*/.env"], pattern: "KEY" }],
    ["grep_search", { include_pattern: "sub/.env", query: "KEY" }],
    ["Grep", { path: "/w", glob: ".env", pattern: "KEY" }],
    ["Glob", { pattern: ".ssh/*" }],
    ["Glob", { pattern: ".ssh/**" }],
    ["codebase_search", { query: "x", target_directories: [".ssh"] }],
  ] as const)("%s %j is denied by the name in it", (tool, args) =>
    expect(of(tool, args as unknown as ToolCall["args"])).toBe("deny"),
  );

  test.each([
    ["grep", { path: "src", pattern: "KEY" }],
    ["grep", { pattern: "/etc/(a|b)*[x]{2}", include: "*.ts" }],
    [
      "Grep",
      {
        pattern: "x",
        "-i": true,
        "-n": true,
        "-A": 3,
        output_mode: "content",
        head_limit: 5,
        type: "ts",
      },
    ],
    ["Glob", { pattern: "src/**/*.ts" }],
    ["Glob", { pattern: "**/*" }],
    ["list_directory", { path: "src/(group)/[id]", ignore: ["*.log"] }],
    ["read_many_files", { paths: ["src/a", "src/b"], exclude: ["**/x/*"], recursive: true }],
    ["read_file", { path: "src/(group)/[id].ts" }],
  ] as const)("%s %j stays allowed", (tool, args) =>
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
  test.each([
    [{ description: "run rm -rf? no" }],
    [{ timeout: 5 }],
    [{ timeout_ms: 1000, run_in_background: false, is_background: false }],
    [{ explanation: "x", id: 1 }],
    [{ directory: "/w" }],
    [{ dir_path: "." }],
    [{ cwd: "/w/./" }],
  ])("%j changes nothing", (more) => expect(line("make all", more)).toBe("allow rule_allowed r0"));
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

  test.each([
    [
      "read_file",
      { path: "a", offset: 1, limit: 2, encoding: "utf8", from: 3, should_read_entire_file: true },
    ],
    ["write_file", { path: "a", content: "/etc/passwd\n../x" }],
    [
      "Edit",
      {
        file_path: "a",
        old_string: "/x",
        new_string: "~/y",
        replace_all: true,
        instruction: "move it to /x",
      },
    ],
    [
      "MultiEdit",
      { file_path: "a", edits: [{ old_string: "/x", new_string: "./y", replace_all: false }] },
    ],
    ["str_replace_editor", { command: "view", path: "a", view_range: [1, 2], file_text: "/etc" }],
    [
      "NotebookEdit",
      {
        notebook_path: "a",
        new_source: "/x",
        cell_id: "c",
        cell_type: "code",
        edit_mode: "insert",
      },
    ],
    ["copy_file", { source: "a", destination: "b" }],
    ["move_file", { from_path: "a", to_path: "b" }],
    ["rename_path", { path: "sub/a", new_name: "b" }],
  ] as const)("%s %j stays allowed", (tool, args) =>
    expect(of(tool, args as unknown as ToolCall["args"])).toBe("allow"),
  );

  test.each([
    ["copy_file", { source: "a", dest: ".env" }],
    ["copy_file", { src: "/etc/passwd", to: "b" }],
    ["copy_file", { source: "x/.env", somewhere: "b" }],
    ["rename_path", { path: "sub/a", new_name: ".env" }],
    ["move_file", { source: "x/passwd", destination: "/etc" }],
    ["read_file", { path: "a", uri: "file:///etc/passwd" }],
    ["MultiEdit", { file_path: "a", edits: [{ file_path: ".env" }] }],
    ["read_file", ["/etc/passwd"]],
  ] as const)("%s %j is denied", (tool, args) =>
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
