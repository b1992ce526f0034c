// `bylaw run HOST`. The stand-in for the agent asks the hooks of its `--settings`, and nothing else.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bylaw, scratch, type Ran } from "./bylaw.ts";

const POLICY = `[[rules]]
name = "no-denied"
action = "deny"
command = "mkdir denied*"
`;
const RULES = { plugins: [{ use: "@bylaw/plugin-policy", options: { files: ["policy.toml"] } }] };
const AGENT = `#!${process.execPath}
const { spawnSync } = require("node:child_process");
const { writeFileSync } = require("node:fs");
const args = process.argv.slice(2);
writeFileSync("args.json", JSON.stringify(args));
if (args.includes("--die")) process.kill(process.pid, "SIGKILL");
const { hooks, ...settings } = JSON.parse(args[args.indexOf("--settings") + 1]);
const [{ matcher, hooks: [{ command, onFailure }] }] = hooks.PreToolUse;
const input = JSON.stringify({
  hook_event_name: "PreToolUse", session_id: "s", cwd: process.cwd(), tool_use_id: "t",
  tool_name: "Bash", tool_input: { command: args.at(-1) },
});
const { stdout } = spawnSync("sh", ["-c", command], { input, encoding: "utf8" });
console.log(JSON.stringify({ matcher, onFailure, settings, answer: JSON.parse(stdout) }));
process.exitCode = 7;
`;

function start(args: string, files: Readonly<Record<string, string>> = {}): Ran & { cwd: string } {
  const rules = { "bylaw.config.json": JSON.stringify(RULES), "policy.toml": POLICY };
  const cwd = scratch({ ...rules, claude: AGENT, ...files });
  chmodSync(join(cwd, "claude"), 0o755);
  const words = args.split(" ").map((word) => word.replaceAll("_", " "));
  const env = { PATH: `${cwd}:${process.env["PATH"]}`, HOME: cwd };
  return { ...bylaw(words, { cwd, env }), cwd };
}

it("starts the agent with hooks that a project file cannot switch off, and ends as it does", () => {
  const off = { ".claude/settings.json": '{ "disableAllHooks": true }' };
  const { code, stdout, cwd } = start("run claude-code -- -p mkdir_denied", off);
  expect(code).toBe(7);
  const { answer, ...hook } = JSON.parse(stdout) as { answer: { hookSpecificOutput: object } };
  expect(hook).toEqual({
    ...{ matcher: "*", onFailure: "block" },
    settings: { disableAllHooks: false, disableSkillShellExecution: true },
  });
  expect(answer.hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
  const args = JSON.parse(readFileSync(join(cwd, "args.json"), "utf8")) as string[];
  expect(args.slice(2)).toEqual(["-p", "mkdir denied"]);
  expect(start("run claude-code -- -p mkdir_free").stdout).toContain('"answer":{}');
  expect(start("run claude-code -- --die").code).toBe(128 + 9);
});

it.each([
  ["run claude-code -- --bare", "`--bare` would replace or skip the hooks of Bylaw"],
  ["run claude-code -- --settings={}", "`--settings={}` would replace or skip"],
  ["run codex -- fix", "Codex takes no hooks on its command line"],
  ["run release.yaml -- fix", "Only a coding agent takes more words: `fix`"],
])("refuses %s, and starts nothing", (args, message) => {
  const { code, stderr, cwd } = start(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(() => readFileSync(join(cwd, "args.json"))).toThrow("ENOENT");
});

it.each([
  [
    "a variable that loads other code into the hook",
    '{ "env": { "LD_PRELOAD": "/tmp/x.so" } }',
    "`env.LD_PRELOAD`",
  ],
  ["text that is no JSON", '{ "env": ', "cannot be read"],
])("starts nothing beside a project file with %s", (_, text, message) => {
  const { code, stderr, cwd } = start("run claude-code", { ".claude/settings.json": text });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(() => readFileSync(join(cwd, "args.json"))).toThrow("ENOENT");
});

it("starts no agent without rules that load, and names a program that is missing", () => {
  const broken = start("run claude-code", { "policy.toml": "[[rules]]" });
  expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining("policy.toml:1")]);
  const missing = start("run claude-code");
  writeFileSync(join(missing.cwd, "claude"), "");
  chmodSync(join(missing.cwd, "claude"), 0o644);
  const env = { PATH: "/usr/bin", HOME: missing.cwd };
  const { code, stderr } = bylaw("run claude-code", { cwd: missing.cwd, env });
  expect([code, stderr]).toEqual([2, expect.stringContaining("Program not found: claude")]);
});
