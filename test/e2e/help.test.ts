import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { BIN, bylaw, scratch } from "./bylaw.ts";
import { shell } from "./shell.ts";

const COMMANDS: readonly { readonly command: readonly string[] }[] = [
  { command: [] },
  { command: ["check"] },
  { command: ["explain"] },
  { command: ["test"] },
  { command: ["lint"] },
  { command: ["replay"] },
  { command: ["status"] },
  { command: ["report"] },
  { command: ["run"] },
  { command: ["mcp"] },
  { command: ["serve"] },
  { command: ["import"] },
  { command: ["init"] },
];

// What the examples of the help name.
const FILES = {
  "calls.jsonl": '{"tool":"read_file","args":{"path":"x"}}\n',
  "cases.jsonl": '{"tool":"read_file","args":{"path":"x"},"must":"allow"}\n',
  "run.jsonl": '{"tool":"read_file","args":{"path":"x"}}\n',
  "events.jsonl":
    '{"timestamp":"2026-01-17T09:00:00Z","sequence":1,"session_id":"11111111-1111-4111-8111-111111111111","event_type":"session_start","agent_id":null,"task_id":null,"details":{"plan_file":null,"total_tasks":0}}\n',
  "candidate.toml": 'default = "ask_user"\n',
  ".claude/settings.json": '{"permissions":{"allow":["Bash(ls)"]}}\n',
  "policies/shell.toml":
    '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git log"\ndecision = "ask_user"\npriority = 1\n',
  "templates/release.yaml":
    'bylaw: 1\nname: release\nsteps:\n  - id: build\n    run: { command: ["node", "--version"] }\n',
  "release.yaml":
    'bylaw: 1\nname: release\nsteps:\n  - id: build\n    run: { command: ["node", "--version"] }\n',
  "default.rules": 'prefix_rule(pattern = ["git", "log"])\n',
};

describe.each(COMMANDS)("bylaw $command --help", ({ command }) => {
  test("prints a usage line and examples", () => {
    const ran = bylaw([...command, "--help"], { cwd: scratch() });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^Usage: bylaw/);
    expect(ran.stdout).toMatch(/Examples:\n {2}\$ /);
    if (command[0] !== undefined) expect(ran.stdout).toMatch(/^Exit code: 0 /m);
    if (command[0] !== undefined)
      expect(bylaw(["help", command[0]], { cwd: scratch() })).toEqual(ran);
  });

  test("every example runs in a project that was just begun", () => {
    const { stdout } = bylaw([...command, "--help"], { cwd: scratch() });
    const examples = [...stdout.matchAll(/^ {2}\$ (.*)$/gm)].map(([, example = ""]) => example);
    expect(examples.length).toBeGreaterThan(1);
    // What goes on with a run needs one that stopped, and a server of one a client: test/e2e/run-template.test.ts and run-reach.test.ts have it.
    for (const example of examples.filter(
      (one) => !one.includes("--resume") && !one.startsWith("bylaw mcp"),
    )) {
      const cwd = scratch(FILES);
      if (!example.includes("bylaw init")) bylaw(["init"], { cwd });
      const { code, stderr } = shell(example, cwd);
      expect([0, 1, 3]).toContain(code);
      expect(stderr).toBe("");
    }
  });
});

test("the help, its tests and docs/cli.md know every command", () => {
  const { stdout } = bylaw(["--help"], { cwd: scratch() });
  const commands = [...stdout.matchAll(/^ {2}(\w+) \[options\]/gm)].map(([, name = ""]) => name);
  expect(commands).toEqual(COMMANDS.flatMap(({ command }) => command));
  const page = readFileSync(fileURLToPath(new URL("../../docs/cli.md", import.meta.url)), "utf8");
  expect([...page.matchAll(/^\| `bylaw (\w+)` +\|/gm)].map(([, name]) => name)).toEqual(commands);
});

test("`bylaw help` is the help", () => {
  expect(bylaw(["help"], { cwd: scratch() })).toMatchObject({
    code: 0,
    stdout: bylaw(["--help"], { cwd: scratch() }).stdout,
  });
});

test.each(["--version", "-V"])(
  "%s prints the version and loads nothing else: it works where nothing else is",
  (flag) => {
    const cwd = scratch();
    const manifest = join(dirname(dirname(BIN)), "package.json");
    mkdirSync(join(cwd, "dist"));
    copyFileSync(BIN, join(cwd, "dist/bin.js"));
    copyFileSync(manifest, join(cwd, "package.json"));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(cwd, "dist/bin.js"), flag],
      { encoding: "utf8" },
    );
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
  },
);

test.each(["20.19.5", "22.12.0", "18.0.0"])(
  "on Node %s it says which Node it needs, before anything else is loaded",
  (version) => {
    const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
    const ran = bylaw(["check", "--tool", "x"], {
      cwd: scratch(),
      node: ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`],
    });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(
      /^error BYLAW_NODE_UNSUPPORTED: Bylaw needs Node 22\.13 or later; this is .*\n {2}fix: /,
    );
  },
);
