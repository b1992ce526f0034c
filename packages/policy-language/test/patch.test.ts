import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { compilePolicy } from "../src/index.ts";
import { call, effectOf, run, verdictOf } from "./calls.ts";
import { policyOf } from "./toml.ts";

const patch = (...lines: string[]): string =>
  ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const update = (path: string): string => patch(`*** Update File: ${path}`, "@@", "-a", "+b");
const unified = (path: string): string => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;

const rules = [
  { action: "allow", tool: "apply_patch|patch|edit_patch", paths: "src/**" },
  { action: "deny", final: true, paths: "**/.env" },
];
const of = (input: unknown, argument = "input"): string =>
  verdictOf(rules, call("apply_patch", { [argument]: input as string }));

describe("the files of a patch are the files that its text names", () => {
  test.each(readCases<[string]>(import.meta, "allowed"))("allowed: %j", (input) =>
    expect(of(input)).toBe("allow rule_allowed r0"),
  );
  test.each(readCases<[string]>(import.meta, "denied"))("denied: %j", (input) =>
    expect(of(input)).toBe("deny rule_denied r1"),
  );
  test.each(readCases<[number | object | string]>(import.meta, "unknown"))("unknown: %j", (input) =>
    expect(of(input)).toBe("ask_user unknown_path"),
  );
  test.each([
    [update("lib/a")],
    [patch("*** Update File: src/a", "*** Move to: lib/a")],
    [unified("lib/a")],
  ])("not allowed: %j", (input) => expect(of(input)).toBe("abstain"));
  test.each(["patch", "diff", "patchText"])("also in the argument `%s`", (argument) => {
    expect(of(update("src/a"), argument)).toBe("allow rule_allowed r0");
    expect(of(update(".env"), argument)).toBe("deny rule_denied r1");
  });
  test("a path argument counts too, and an unknown argument makes the call unknown", () => {
    const both = (path: string): string =>
      effectOf(rules, call("edit_patch", { file_path: path, patch: unified("src/a") }));
    expect([both("src/a"), both("lib/a"), both(".env")]).toEqual(["allow", "abstain", "deny"]);
    expect(verdictOf(rules, call("apply_patch", { input: update("src/a"), workdir: "/etc" }))).toBe(
      "ask_user unknown_path",
    );
  });
  test("more files than the limit are unknown", () => {
    const many = patch(...Array.from({ length: 1001 }, (_, at) => `*** Delete File: src/${at}`));
    expect(of(many)).toBe("ask_user unknown_path");
  });
});

test("a patch inside the workspace is an edit, but not if it changes a hook", () => {
  const pool = compilePolicy([policyOf([])]);
  const edits = (input: string): boolean => pool.editsWorkspace(call("apply_patch", { input }));
  expect([
    edits(update("src/a")),
    edits(update("../a")),
    edits(update(".git/hooks/x")),
    edits("nothing"),
  ]).toEqual([true, false, false, false]);
  expect([edits(unified(".git/hooks/x")), edits("--- x/.git/config\n+++ x/.git/config")]).toEqual([
    false,
    false,
  ]);
});

test.each([
  [`apply_patch '${update(".env")}'`, "deny rule_denied r1"],
  [`apply_patch <<'EOF'\n${update(".env")}\nEOF`, "deny rule_denied r1"],
  [`apply_patch '${update("src/a")}'`, "ask_user unknown_path"],
])("%j on a shell line: %s", (line, verdict) => {
  const shell = [{ action: "allow", command: "apply_patch *", paths: "src/**" }, ...rules.slice(1)];
  expect(verdictOf(shell, run(line))).toBe(verdict);
});
