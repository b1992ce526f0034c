import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LogEvent } from "@bylaw/kernel";
import { temporaryFolder } from "@bylaw/testing";
import { beforeAll, expect, test } from "vitest";
import { BIN, POLICY, bylaw, bylawHere, scratch, type Ran } from "./bylaw.ts";
import { anchorOf, eventsOf, logOf } from "./log-kit.ts";
import { shell } from "./shell.ts";

const textAt = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

const LOG = eventsOf(3);
const RELEASE =
  'bylaw: 1\nname: release\nsteps:\n  - id: build\n    run: { command: ["node", "--version"] }\n';

/** Files that the examples of the help name. */
const FILES = {
  "calls.jsonl": '{"tool":"read_file","args":{"path":"x"}}\n',
  "cases.jsonl": '{"tool":"read_file","args":{"path":"x"},"must":"allow"}\n',
  "run.jsonl": '{"tool":"read_file","args":{"path":"x"}}\n',
  "events.jsonl": logOf(LOG),
  "candidate.toml": 'default = "ask_user"\n',
  ".claude/settings.json": '{"permissions":{"allow":["Bash(ls)"]}}\n',
  "policies/shell.toml":
    '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git log"\ndecision = "ask_user"\npriority = 1\n',
  "templates/release.yaml": RELEASE,
  "release.yaml": RELEASE,
  "default.rules": 'prefix_rule(pattern = ["git", "log"])\n',
  "agent_workflow.yaml": textAt("rulesets/tdd/agent_workflow.yaml"),
};

const FEW =
  'import { policy } from "@bylaw/plugin-policy";\nexport default { plugins: [policy({ files: ["few.toml"] })] };';

/** Examples that need more than files: a stopped run, a client, a server, a signal or a key. They have separate tests. */
const MORE =
  /--resume|--follow|--heads|--url|older\.json|^bylaw (?:mcp|ui|constitution|agents|run claude)/;

/** Examples that need no shell, and install, serve or start nothing. */
const PLAIN =
  /^bylaw (?:approve|behavior|check|completion|config|contract|experiment|explain|import|lint|log|replay|report|ruleset|status|suggest|tasks|template|test)(?: (?:[-\w./,:=@]+|'[^']*'))*$/;
const wordsOf = (example: string): readonly string[] =>
  Array.from(example.matchAll(/'([^']*)'|\S+/g), ([word, quoted]) => quoted ?? word);
const run = (example: string, cwd: string): Ran | Promise<Ran> =>
  PLAIN.test(example)
    ? bylawHere(wordsOf(example).slice(1), { cwd, env: { HOME: scratch() } })
    : shell(example, cwd);

/** The names in a command group, and whether each is a group itself. */
async function listed(group: readonly string[]): Promise<readonly (readonly [string, boolean])[]> {
  const { stdout } = await bylawHere([...group, "--help"], { cwd: tmpdir() });
  const [, list = ""] = /\nCommands:\n([^]*?)\n\n/.exec(stdout) ?? [];
  return [...list.matchAll(/^ {2}(\w+)( \[options\])?/gm)]
    .filter(([, name]) => name !== "help")
    .map(([, name = "", leaf]) => [name, leaf === undefined]);
}

const TOP = await listed([]);
const GROUPS = TOP.flatMap(([name, isGroup]) => (isGroup ? [name] : []));
const COMMANDS = TOP.map(([name]) => [name]);
for (const name of GROUPS) for (const [below] of await listed([name])) COMMANDS.push([name, below]);

// A new project with a store that holds one run.
const begun = temporaryFolder();
beforeAll(() => {
  for (const [file, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(begun, file)), { recursive: true });
    writeFileSync(join(begun, file), content);
  }
  bylaw("log import events.jsonl --store runs.db --run main", { cwd: begun });
  mkdirSync(join(begun, ".bylaw"), { recursive: true });
  cpSync(join(begun, "runs.db"), join(begun, ".bylaw/store.db"));
  bylaw(["init"], { cwd: begun });
  bylaw("ruleset new acme-rules", { cwd: begun });
  bylaw("ruleset pack acme-rules", { cwd: begun });
  cpSync(join(begun, "acme-rules"), join(begun, "node_modules/acme-rules"), { recursive: true });
});

function projectFor(example: string): string {
  if (/bylaw (?:init|ruleset new)/.test(example)) return scratch();
  const cwd = scratch();
  cpSync(begun, cwd, { recursive: true });
  // Mutating all rules of a new project takes long, and another test mutates those of this repository.
  if (example.includes("--mutate")) {
    writeFileSync(join(cwd, "few.toml"), POLICY);
    writeFileSync(join(cwd, "bylaw.config.ts"), FEW);
  }
  if (!example.includes("events.000")) return cwd;
  const before = "events.000000000001-000000000002.jsonl";
  writeFileSync(join(cwd, before), logOf(LOG.slice(0, 2)));
  writeFileSync(
    join(cwd, "events.jsonl"),
    anchorOf(LOG[1] ?? ({} as LogEvent), before) + logOf(LOG.slice(2)),
  );
  return cwd;
}

test.each([[[]], ...COMMANDS.map((command) => [command])])(
  "the help of bylaw %j has a usage line, exit codes, and examples that run",
  async (command: readonly string[]) => {
    const ran = await bylawHere([...command, "--help"], { cwd: begun });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^Usage: bylaw/);
    if (command.length === 1)
      expect(await bylawHere(["help", ...command], { cwd: begun })).toEqual(ran);
    if (command.length > 0 && !GROUPS.includes(command.join(" ")))
      expect(ran.stdout).toMatch(/^Exit code: 0 /m);
    const examples = [...ran.stdout.matchAll(/^ {2}\$ (.*)$/gm)].map(([, example = ""]) => example);
    expect(examples).not.toEqual([]);
    for (const example of examples.filter((one) => !MORE.test(one))) {
      const { code, stdout, stderr } = await run(example, projectFor(example));
      if (command[0] === "approve")
        // Nothing waits for approval in the project, and nobody may answer.
        expect([example, stdout + stderr]).toEqual([
          example,
          expect.stringMatching(/"?BYLAW_APPROVAL_|^Nothing waits|^$/),
        ]);
      else {
        expect([example, code]).toEqual([example, expect.toBeOneOf([0, 1, 3])]);
        if (!example.startsWith("bylaw contract migrate")) expect(stderr).toBe("");
      }
    }
  },
);

test("docs/cli.md names every command", () => {
  const page = textAt("docs/cli.md");
  const leaves = TOP.flatMap(([name, isGroup]) => (isGroup ? [] : [name]));
  expect([...page.matchAll(/^\| `bylaw (\w+)` +\|/gm)].map(([, name]) => name)).toEqual(leaves);
  expect([...page.matchAll(/^\| `bylaw log (\w+)[^|]*\|/gm)].map(([, name]) => name)).toEqual(
    COMMANDS.flatMap(([name, below]) => (name === "log" && below !== undefined ? [below] : [])),
  );
});

test("`bylaw help` prints the help", () => {
  expect(bylaw(["help"], { cwd: scratch() })).toMatchObject({
    code: 0,
    stdout: bylaw(["--help"], { cwd: scratch() }).stdout,
  });
});

test.each(["--version", "-V"])(
  "%s prints the version and loads nothing else, so it works where nothing else does",
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
  "on Node %s it says which Node it needs before it loads anything else",
  (version) => {
    const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
    const ran = bylaw("check --tool x", {
      cwd: scratch(),
      node: ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`],
    });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(
      /^error BYLAW_NODE_UNSUPPORTED: Bylaw needs Node 22\.13 or later; this is .*\n {2}fix: /,
    );
  },
);
