import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { serve } from "./kit.ts";

const ARGV = ["sh", "-c", 'echo 1..1; if [ "$WHO" = box ]; then echo "ok 1 - a"; else echo "not ok 1 - a"; exit 1; fi'];
const RULE = { rule: "tests_passed", message: "green" };
const CONTRACT = {
  ...{ bylaw: 1, name: "Tests", evidence: "observed", test_command: { argv: ARGV, format: "tap" }, enforcement: { mode: "strict" } },
  phases: [
    {
      ...{ id: "WORK", name: "Work", allowed_tools: ["run_tests", "read_files"] },
      required_artifacts: [{ type: "test_run_result", description: "green", validation: [RULE] }],
    },
    { id: "DONE", name: "Done", allowed_tools: ["read_files"] },
  ],
  transitions: [{ from: "WORK", to: "DONE" }],
};

it("the tests are started by what the programs of agents are started by, whoever asks for them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-wrapped-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "work"));
  writeFileSync(join(folder, "tests.yaml"), JSON.stringify(CONTRACT));
  const settings = { contract: join(folder, "tests.yaml"), tools: { wrap: ["/usr/bin/env", "WHO=box"], contain: "always" } } as const;
  const at = await serve({ tools: [], settings }, folder);
  onTestFinished(() => at.close());
  const ann = await at.agent("ann", "a");
  const { body } = await at.ask("POST", "/tools/execute", ann.auth, { task_id: "a", tool_name: "run_tests", args: {} });
  expect(body["result"]).toMatchObject({ exit_code: 0, counts: { passed: 1, failed: 0 } });
  const result = { command: "sh", exit_code: 0, passed: 1, failed: 0, skipped: 0, timestamp: "2026-01-01T00:00:00Z" };
  await at.ask("POST", "/tasks/transition", ann.auth, { task_id: "a", target_phase: "DONE", artifacts: { test_run_result: result } });
  const runs = await at.events("test_run");
  expect(runs.map(({ details }) => [details["argv"], details["exit_code"]])).toEqual([
    [ARGV, 0],
    [ARGV, 0],
  ]);
});
