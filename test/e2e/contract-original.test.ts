import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { spawnAgent } from "@bylaw/sdk/node";
import { loadContract } from "@bylaw/contract";
import { bylawHere, json, workplace } from "./bylaw.ts";
import { ENROL, endServers, makeSite, startServer } from "./orchestrator-kit.ts";

const ORIGINAL = readFileSync(
  new URL("../../packages/contract/test/fixtures/agent_workflow.yaml", import.meta.url),
  "utf8",
);
const site = makeSite(["t1"], ORIGINAL);
const cwd = site.folder;
afterAll(endServers);

it("the original contract is refused because no task could leave TDD, with what to do", async () => {
  const linted = await bylawHere("lint agent_workflow.yaml --json", { cwd });
  expect(linted.code).toBe(1);
  const errors = (json(linted)["findings"] as readonly Record<string, string>[]).filter(
    ({ severity }) => severity === "error",
  );
  expect(errors).toMatchObject([
    {
      code: "tests_unobservable",
      message: expect.stringContaining("No task can leave `TDD`"),
      fix: expect.stringContaining("bylaw contract migrate"),
    },
  ]);
  await expect(startServer(site)).rejects.toThrow(/ended with 2: .*tests_were_run.*test_command/);
});

it("the test command of the migration prints the file of a failing test and what it wrote", async () => {
  const { cwd: project, run } = workplace({
    "package.json": '{ "type": "module", "scripts": { "test": "node --test" } }',
    "tests/fails.test.js": 'process.stderr.write("its last words\\n"); process.exit(3);',
    "contract.yaml": ORIGINAL,
  });
  await run("contract migrate contract.yaml --out new.yaml");
  const [program = "", ...args] =
    loadContract(join(project, "new.yaml")).evidence.testCommand?.argv ?? [];
  const { stdout } = spawnSync(program, args, { cwd: project, encoding: "utf8" });
  expect(stdout).toContain("tests/fails.test.js");
  expect(stdout).toContain("its last words");
});

it("after its migration for a project, a task completes under it", async () => {
  const migrated = await bylawHere(
    "contract migrate agent_workflow.yaml --project work/t1 --out agent_workflow.yaml --force",
    { cwd },
  );
  expect(migrated).toMatchObject({ code: 0 });
  expect(migrated.stderr).toContain("changed: added `test_command: node --test");
  expect(migrated.stderr).toContain("left to do: Check that `node --test");
  expect(migrated.stderr).toContain("left to do: Start the review agents `security`");
  const server = await startServer(site, {}, [{ id: "t1", title: "Add two numbers" }]);
  const { operator } = server;
  const stop = new AbortController();
  const attending = operator.attend(stop.signal);
  const agent = await spawnAgent(
    [process.execPath, join(import.meta.dirname, "children/agent.ts")],
    { endpoint: server.url, agent_id: "ann", enrol_secret: ENROL, task_id: "t1" },
  );
  expect(await agent.ended).toEqual({ code: 0, signal: null });
  stop.abort();
  await attending;
  const { body } = await operator.ask("GET", "/tasks");
  expect(body["tasks"]).toMatchObject([{ id: "t1", phase: "@completed" }]);
});
