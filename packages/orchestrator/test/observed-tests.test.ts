import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { expect, it, onTestFinished } from "vitest";
import { serve, type Served, type ServeOptions } from "./kit.ts";

const ARGV = [
  "sh",
  "-c",
  'echo 1..1; if [ "$WHO" = box ]; then echo "ok 1 - a"; else echo "not ok 1 - a"; exit 1; fi',
];
const GREEN = {
  type: "test_run_result",
  description: "green",
  validation: [{ rule: "tests_passed", message: "green" }],
};
const phase = (id: string, more: object = {}): object => ({
  id,
  name: id,
  allowed_tools: ["run_tests", "read_files"],
  ...more,
});
const CONTRACT = {
  bylaw: 1,
  name: "Tests",
  evidence: "observed",
  enforcement: { mode: "strict" },
  phases: [phase("WORK", { required_artifacts: [GREEN] }), phase("DONE")],
  transitions: [{ from: "WORK", to: "DONE" }],
};
const RESULT = {
  command: "sh",
  exit_code: 0,
  passed: 1,
  failed: 0,
  skipped: 0,
  timestamp: "2026-01-01T00:00:00Z",
};

async function serving(
  argv: readonly string[],
  contract: object = CONTRACT,
  tools: NonNullable<ServeOptions["settings"]>["tools"] = {},
) {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, "tests.yaml"),
    JSON.stringify({ ...contract, test_command: { argv, format: "tap" } }),
  );
  const at = await serve(
    { tools: [], settings: { contract: join(folder, "tests.yaml"), tools } },
    folder,
  );
  onTestFinished(() => at.close());
  return { at, ann: await at.agent("ann", "a") };
}

const move = (at: Served, auth: string, target_phase: string) =>
  at.post("/tasks/transition", auth, {
    task_id: "a",
    target_phase,
    artifacts: { test_run_result: RESULT },
  });

it("tests are started with `tools.wrap` like programs of agents, whatever requests them", async () => {
  const { at, ann } = await serving(ARGV, CONTRACT, {
    wrap: ["/usr/bin/env", "WHO=box"],
    contain: "always",
  });
  const { body } = await at.post("/tools/execute", ann.auth, {
    task_id: "a",
    tool_name: "run_tests",
    args: {},
  });
  expect(body["result"]).toMatchObject({ exit_code: 0, counts: { passed: 1, failed: 0 } });
  expect(await move(at, ann.auth, "DONE")).toMatchObject({ status: 200, body: { allowed: true } });
  const runs = await at.events("test_run");
  expect(runs.map(({ details }) => [details["argv"], details["exit_code"]])).toEqual([
    [ARGV, 0],
    [ARGV, 0],
  ]);
});

it("tests are run for a transition that ends a task", async () => {
  const ends = {
    ...CONTRACT,
    phases: [phase("WORK", { required_artifacts: [GREEN] })],
    transitions: [],
  };
  const { at, ann } = await serving(["echo", "1..1\nok 1 - a"], ends);
  expect(await move(at, ann.auth, "@completed")).toMatchObject({
    status: 200,
    body: { allowed: true },
  });
  expect(await at.events("test_run")).toMatchObject([
    { details: { exit_code: 0, counts: { passed: 1 } } },
  ]);
});
