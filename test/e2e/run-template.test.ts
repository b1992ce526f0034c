// The acceptance criteria of FR-5, FR-6 and FR-8, and the success criteria 5, 6 and 8 (SC), by name.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { bylaw, bylawHere, json, scratch, workplace } from "./bylaw.ts";
import { project, step, stepsOf } from "./run-kit.ts";

const root = resolve(import.meta.dirname, "../..");

describe("FR-5, SC-5 and FR-6, SC-6: a workflow runs under the configuration", () => {
  it("whose plugins vote on the requests of steps: a plugin that denies holds the workflow", async () => {
    const config = `import { definePlugin, deny } from "@bylaw/kernel";
import { z } from "zod";
const quiet = definePlugin({
  name: "quiet", version: "1.0.0", options: z.strictObject({}).prefault({}),
  apply(kernel) { kernel.hooks.onBehavior.tap("quiet", ({ action }) => action === "trigger" ? deny("Unexpected trigger here, expected none") : undefined); },
});
export default { plugins: [quiet()] };
`;
    const at = project({
      steps: [step("a"), step("b")],
      requests: { "a.1.worker": { action: "trigger", triggerAgentId: "helper" } },
      files: { "bylaw.config.ts": config },
    });
    expect(await at.go()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("Unexpected trigger here"),
    });
    expect(at.trace()).toEqual(["a.1.worker"]);
  });

  it("and its programs in the same run: policies and rules of the session bind their tool calls", async () => {
    const config = `import { constitution } from "@bylaw/plugin-constitution";
import { policy } from "@bylaw/plugin-policy";
export default { plugins: [policy({ files: ["policy.toml"], discover: "none" }), constitution()] };
`;
    const policy = `default = "ask_user"

[[rules]]
name = "tools"
action = "allow"
tool = "*"

[[rules]]
name = "no-drop"
action = "deny"
tool = "drop_*"
`;
    // A typical host: it takes part in the run in which it was started.
    const host = `import { createConfiguredKernel } from "@bylaw/config";
import { openRun } from "@bylaw/log";
import { updateConstitution } from "@bylaw/plugin-constitution";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { writeFileSync } from "node:fs";
const { kernel } = await createConfiguredKernel({});
const store = await openSqliteStore(".bylaw/store.db");
const run = await openRun(kernel, { run: process.env.BYLAW_RUN, store, join: true });
const seen = [];
const call = async (tool) => seen.push((await run.toolCall({ tool, args: {}, agent: process.env.BYLAW_AGENT })).applied);
await call("drop_table");
await call("publish");
await updateConstitution(run, { rule: "Nothing is published.", check: { action: "deny", tool: "publish" } }, { by: "worker", author: "agent" });
await call("publish");
writeFileSync("seen.json", JSON.stringify(seen));
await run.close();
await store.close();
`;
    const at = project({
      steps: [step("a", { run: { command: [process.execPath, "host.mjs"] } }), step("b")],
      files: { "bylaw.config.ts": config, "policy.toml": policy, "host.mjs": host },
    });
    symlinkSync(join(root, "node_modules"), join(at.cwd, "node_modules"));
    expect(await at.go()).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(readFileSync(join(at.cwd, "seen.json"), "utf8"))).toEqual([
      "deny",
      "allow",
      "deny",
    ]);
    expect(await at.events("tool_denied")).toHaveLength(2);
    expect(new Set((await at.events()).map(({ session_id }) => session_id)).size).toBe(1);
  });
});

describe("FR-5, SC-5 the policy of a workflow", () => {
  const policy = `default = "ask_user"

[[rules]]
name = "admin-no-drop"
priority = "admin"
action = "deny"
tool = "drop_*"

[[rules]]
name = "user-tables"
priority = "user"
action = "allow"
tool = "*_table"

[[rules]]
name = "default-mail"
priority = "default"
action = "ask_user"
tool = "send_mail"

[[rules]]
name = "read-or-write"
action = "allow"
pattern = "read_file|list_files"

[[rules]]
name = "no-rm"
action = "deny"
command = "rm *"

[[rules]]
name = "git"
action = "allow"
command = "git status"

[[rules]]
name = "issues"
action = "allow"
server = "github"
tool = "get_*"
`;
  const calls: readonly (readonly [call: object, want: string])[] = readCases<
    [call: object, want: string]
  >(import.meta, "calls");

  it("allows, denies and asks by tier, pattern, shell line, server and mode for the calls of its steps", async () => {
    const host = `import { createConfiguredKernel } from "@bylaw/config";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { readFileSync, writeFileSync } from "node:fs";
const { kernel } = await createConfiguredKernel({});
const store = await openSqliteStore(".bylaw/store.db");
const run = await openRun(kernel, { run: process.env.BYLAW_RUN, store, join: true });
const seen = [];
for (const call of JSON.parse(readFileSync("calls.json", "utf8"))) {
  const { decision, applied } = await run.toolCall({ ...call, agent: process.env.BYLAW_AGENT, interactive: false, cwd: process.cwd(), workspace: process.cwd() });
  seen.push(applied === "allow" ? "allow" : applied + " " + decision.code);
}
writeFileSync("seen.json", JSON.stringify(seen));
await run.close();
await store.close();
`;
    const at = project({
      steps: [step("a", { run: { command: [process.execPath, "host.mjs"] } })],
      files: {
        "bylaw.config.ts": `import { policy } from "@bylaw/plugin-policy";\nexport default { plugins: [policy({ files: ["policy.toml"], discover: "none", operator: true })] };\n`,
        "policy.toml": policy,
        "host.mjs": host,
        "calls.json": JSON.stringify(
          calls.map(([{ ...call }]) =>
            Object.fromEntries(
              Object.entries(call).filter(([key]) => key !== "cwd" && key !== "workspace"),
            ),
          ),
        ),
      },
    });
    symlinkSync(join(root, "node_modules"), join(at.cwd, "node_modules"));
    expect(await at.go()).toMatchObject({ code: 0, stderr: "" });
    const seen = JSON.parse(readFileSync(join(at.cwd, "seen.json"), "utf8")) as readonly string[];
    expect(calls.map(([call], index) => [call, seen[index]])).toEqual(calls);
    expect((await at.events("tool_denied")).length + (await at.events("tool_allowed")).length).toBe(
      calls.length,
    );
  });
});

describe("FR-8, SC-8 templates", () => {
  it("are found by name, listed with their faults, shown and planned", async () => {
    const { cwd } = project({
      steps: [step("a"), step("b", { loop: { steps: 1 } })],
      files: { ".bylaw/templates/broken.yaml": "bylaw: 1\nname: broken\nstep: []\n" },
    });
    const text = readFileSync(join(cwd, "w.json"), "utf8");
    const { run } = workplace({
      "templates/workflows/w.json": text,
      ".bylaw/templates/broken.yaml": "bylaw: 1\nname: broken\nstep: []\n",
    });
    const home = { HOME: scratch() };
    const listed = await run("template list --json", { env: home });
    expect(listed.code).toBe(1);
    expect(json(listed)).toMatchObject({
      templates: [{ name: "w", steps: 2 }],
      findings: [{ line: 1 }, { line: 3, fix: expect.stringContaining("steps") }],
    });
    expect(await run("template plan w", { env: home })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("may go back to a"),
    });
    expect(json(await run("template show w --json", { env: home }))).toMatchObject({
      definition: expect.stringMatching(/^sha256:/),
    });
    const broken = await run("template validate .bylaw/templates/broken.yaml", { env: home });
    expect(broken).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("broken.yaml:3:1 error BYLAW_TEMPLATE_INVALID"),
    });
    expect((await run("run broken", { env: home })).code).toBe(2);
  });

  it("are not run by a dry run, which prints what would run", async () => {
    const at = project({ steps: [step("a"), step("b")] });
    expect(await at.go("--dry-run")).toMatchObject({
      code: 0,
      stdout: "w\n  1  a (worker): sh agent.sh\n  2  b (worker): sh agent.sh\n",
    });
    expect(at.trace()).toEqual([]);
  });

  it("of an older form run once their agents are given", async () => {
    const older =
      '{"name":"older","steps":[{"agentId":"init","type":"module","executeOnce":true},{"type":"ui","text":"plan"},{"agentId":"check","type":"module","module":{"id":"check","behavior":{"type":"loop","action":"stepBack","steps":2,"maxIterations":1}}}]}';
    const agent = '{"run":{"command":["sh","agent.sh"]}}';
    const at = project({
      steps: [step("a")],
      files: { "older.json": older, "agents.json": `{"init":${agent},"check":${agent}}` },
      requests: { "check.1.check": { action: "loop" } },
    });
    const refused = await bylawHere("run older.json", { cwd: at.cwd });
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("BYLAW_TEMPLATE_UNRUNNABLE"),
    });
    expect((await bylawHere("run older.json --agents agents.json", { cwd: at.cwd })).code).toBe(0);
    expect(at.trace()).toEqual(["init.1.init", "check.1.check", "check.2.check"]);
  });

  it("begin at a step, or continue from one: a completed step runs again only if it is repeatable", async () => {
    const at = project({
      steps: [step("a"), step("b", { repeatable: true }), step("c"), step("d")],
      requests: { "c.1.worker": { action: "checkpoint" } },
    });
    expect((await at.go("--from", "b")).code).toBe(3);
    expect(stepsOf(at.trace())).toEqual(["b", "c"]);
    expect((await at.go("--resume", "--from", "b", "--by", "ada")).code).toBe(0);
    expect(stepsOf(at.trace())).toEqual(["b", "c", "b", "d"]);
    expect((await at.go("--from", "nowhere")).code).toBe(2);
  });
});

describe("a step that fails", () => {
  it("holds the workflow with the end of its output, and is tried again when a person says so", async () => {
    const at = project({
      steps: [
        {
          id: "a",
          run: { command: ["sh", "-c", 'echo "went wrong" >&2; [ "$BYLAW_ATTEMPT" = 2 ]'] },
        },
        step("b"),
      ],
    });
    expect(await at.go()).toMatchObject({ code: 1, stdout: expect.stringContaining("went wrong") });
    expect((await at.go("--resume", "--by", "ada")).code).toBe(0);
    expect(at.trace()).toEqual(["b.1.worker"]);
  });

  it("keeps its records out of an agent's commits, and reports nothing about a folder that is not its own", async () => {
    const at = project({
      steps: [
        {
          id: "a",
          run: {
            command: ["sh", "-c", "git init --quiet && git add --all && git ls-files > ls.txt"],
          },
        },
      ],
    });
    expect((await at.go()).code).toBe(0);
    const added = readFileSync(join(at.cwd, "ls.txt"), "utf8").trim().split("\n");
    expect(added).toContain(".bylaw/operators.json");
    expect(added.filter((file) => /\.gitignore|store/.test(file))).toEqual([]);
    const git = (...args: readonly string[]): string =>
      execFileSync("git", args, { cwd: at.cwd, encoding: "utf8" });
    expect(git("status", "--short", ".bylaw")).toBe("A  .bylaw/operators.json\n");
    expect((await at.go("--data", "elsewhere")).code).toBe(0);
    expect(existsSync(join(at.cwd, "elsewhere/store.db"))).toBe(true);
    expect(existsSync(join(at.cwd, "elsewhere/.gitignore"))).toBe(false);
  });

  it("cannot resume its own run", async () => {
    const at = project({ steps: [step("a")] });
    await at.go();
    expect(
      (await bylawHere("run w.json --run w --resume", { cwd: at.cwd, env: { BYLAW_RUN: "w" } }))
        .code,
    ).toBe(2);
  });
});

it("a killed runner continues with the next attempt of its step, and its exit code was no success", async () => {
  const kill =
    'echo "$BYLAW_STEP.$BYLAW_ATTEMPT" >> ran.txt; [ "$BYLAW_ATTEMPT" = 2 ] || kill -9 "$PPID"';
  const at = project({
    steps: [
      step("a"),
      { id: "b", run: { command: ["sh", "-c", kill] } },
      { id: "c", run: { command: ["sh", "-c", kill] }, interrupted: "ask" },
    ],
  });
  expect(bylaw("run w.json", at).code).toBe(null);
  // It is killed again in the next step, which then waits for a person.
  expect(bylaw("run w.json --resume", at).code).toBe(null);
  expect(await at.go("--resume", "--json")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('"why":"interrupted"'),
  });
  expect((await at.go("--resume", "--by", "ada")).code).toBe(0);
  expect(at.trace()).toEqual(["a.1.worker", "b.1", "b.2", "c.1", "c.2"]);
});
