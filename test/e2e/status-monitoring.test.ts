import { copyFileSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadContract } from "@bylaw/contract";
import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { artifacts } from "@bylaw/plugin-artifacts";
import { gates } from "@bylaw/plugin-gates";
import { measure, monitoring, raiseAlerts, workflowMetrics } from "@bylaw/plugin-monitoring";
import { phases } from "@bylaw/plugin-phases";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { expect, test } from "vitest";
import { workplace } from "./bylaw.ts";

const SHIPPED = dirname(fileURLToPath(import.meta.resolve("@bylaw/ruleset-tdd/package.json")));
const at = (minutes: number): string =>
  new Date(Date.parse("2026-01-17T09:00:00Z") + minutes * 60_000).toISOString();

test("the shipped contract is measured, exported and watched, across a restart and like in a replay", async () => {
  const { cwd, run } = workplace();
  copyFileSync(join(SHIPPED, "agent_workflow.yaml"), join(cwd, "agent_workflow.yaml"));
  const file = "agent_workflow.yaml";
  const contract = loadContract(join(cwd, file));
  const options = { contract: file };
  const plugins = [
    phases({ ...options, elsewhere: ["tokens"] }),
    artifacts(options),
    gates(options),
    monitoring(options),
  ];
  const kernel = createKernel({ plugins }, { configFile: join(cwd, "bylaw.config.ts") });
  const store = await openSqliteStore(join(cwd, "runs.db"));
  let minutes = 0;
  const open = () => openRun(kernel, { run: "main", store, now: () => at(minutes) });

  const first = await open();
  await first.transition({ agent: "dev", task: "t1", to: "PLAN", artifacts: {} });
  for (const asked of [1, 2, 3, 4, 5]) {
    minutes = asked;
    const { applied } = await first.transition({
      agent: "dev",
      task: "t1",
      to: "TDD",
      artifacts: { plan_document: { asked } },
    });
    expect(applied).toBe("deny");
  }
  await first.toolCall({ agent: "dev", task: "t1", tool: "read_files", args: { path: "a.md" } });
  await first.close();

  const second = await open();
  await second.toolCall({
    agent: "dev",
    task: "t1",
    tool: "write_files",
    args: { path: "src/a.ts" },
  });
  const measured = measure(second.view(workflowMetrics), contract);
  expect(measured).toMatchObject({
    gate_block_rate: { rate: 1, samples: 5 },
    tool_usage_by_phase: { PLAN: { read_files: { allowed: 1 }, write_files: { denied: 1 } } },
  });
  expect(measured.artifact_validation_failures?.total).toBeGreaterThanOrEqual(5);
  const early = await raiseAlerts(second, contract, { at: at(119) });
  expect(early.raised.map(({ details }) => details["metric"])).toEqual(["gate_block_rate"]);
  const late = await raiseAlerts(second, contract, { at: at(121) });
  expect(
    late.raised.map(({ task_id, details }) => [task_id, details["metric"], details["phase"]]),
  ).toEqual([["t1", "task_stuck_in_phase", "PLAN"]]);
  await second.close();

  const events = await store.events("main", 0, 1_000);
  const replayed = events.reduce(
    (state, event) => workflowMetrics.reduce(state, event),
    workflowMetrics.initial,
  );
  expect(measure(replayed, contract)).toEqual(measured);
  await store.close();
  const lines = readFileSync(join(cwd, ".orchestrator/metrics.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  const exported = lines.map((line) => JSON.parse(line) as { readonly sequence: number });
  expect(new Set(exported.map(({ sequence }) => sequence)).size).toBe(lines.length);
  expect(exported.map(({ sequence }) => sequence)).toEqual(
    exported.map(({ sequence }) => sequence).toSorted((one, other) => one - other),
  );
  // Five requests, two calls, two alerts.
  expect(lines).toHaveLength(9);
  expect((await run("log verify --store runs.db --run main --chained")).code).toBe(0);
});
