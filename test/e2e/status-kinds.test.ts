import { existsSync, readFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { bylawHere, json, workplace, type Ran } from "./bylaw.ts";
import { endServers, makeSite, startServer } from "./orchestrator-kit.ts";
import { project, step } from "./run-kit.ts";

const CONTRACT = `
bylaw: 1
name: Two phases
phases:
  - { id: PLAN, name: Plan, allowed_tools: [read_files] }
  - { id: WORK, name: Work, allowed_tools: [read_files] }
transitions:
  - { from: PLAN, to: WORK }
enforcement: { mode: strict }
`;
const site = makeSite([], CONTRACT);
afterAll(endServers);

it("serve --status keeps a file that shows which agent has which task, and which are done", async () => {
  const file = site.path("status.json");
  const server = await startServer(site, { status: file }, [{ id: "one" }, { id: "two" }]);
  const ann = server.client("ann");
  await ann.claimTask({ task_id: "one" });
  await ann.requestTransition("WORK");
  const now = () => JSON.parse(existsSync(file) ? readFileSync(file, "utf8") : "{}") as object;
  await expect.poll(now).toMatchObject({
    finish_reason: "in_progress",
    finish_reason_details: "0 of 2 tasks completed",
    coordination: { phase: null, active_agent: "ann" },
    tasks: {
      by_phase: { WORK: 1 },
      open: [
        { id: "one", status: "working", phase: "WORK", agent: "ann" },
        { id: "two", status: "ready", phase: null, agent: null },
      ],
    },
    agents: { ann: { status: "working" } },
  });
  await ann.completeTask();
  await expect
    .poll(now)
    .toMatchObject({
      finish_reason_details: "1 of 2 tasks completed",
      coordination: { active_agent: null, completion_percentage: 50 },
      rounds: { by_outcome: { running: 0 } },
      agents: { ann: { status: "done" } },
    });
  expect(await server.stop()).toBe(0);
  expect(now()).toMatchObject({ tasks: { completed: 1, open: [{ id: "two" }] } });
});

it("a coordinator's log shows its tasks, the agents that have them, and which agents are done", async () => {
  const event = (
    event_type: string,
    agent_id: string | null,
    task_id: string | null,
    details: object,
  ) => ({ event_type, agent_id, task_id, details });
  const log = [
    event("session_start", null, null, { plan_file: "plan.md", total_tasks: 2 }),
    event("developer_dispatched", "dev-1", "T1", { blocked_by: [] }),
    event("developer_dispatched", "dev-2", "T2", { blocked_by: [] }),
    event("developer_ready_for_review", "dev-1", "T1", { files_modified: ["a.ts"] }),
    event("critic_dispatched", "critic-1", "T1", { files_to_review: ["a.ts"] }),
    event("critic_pass", "critic-1", "T1", { review_summary: "good" }),
    event("auditor_dispatched", "auditor-1", "T1", { files_to_audit: ["a.ts"] }),
    event("task_complete", "auditor-1", "T1", { evidence_summary: "seen" }),
  ].map((one, index) =>
    JSON.stringify({
      timestamp: `2026-01-02T10:00:0${index}.000Z`,
      sequence: index + 1,
      session_id: "11111111-1111-4111-8111-111111111111",
      ...one,
    }),
  );
  const { run } = workplace({ "log.jsonl": `${log.join("\n")}\n` });
  expect(json(one(await run("status --log log.jsonl --json")))).toMatchObject({
    finish_reason_details: "1 of 2 tasks completed",
    coordination: { phase: null, completion_percentage: 50 },
    tasks: { planned: 2, completed: 1, open: [{ id: "T2", status: "working", agent: "dev-2" }] },
    agents: {
      "dev-1": { status: "done" },
      "dev-2": { status: "working" },
      "critic-1": { status: "done" },
      "auditor-1": { status: "done" },
    },
  });
});

it("a template's run is shown as paused, held or completed, with the name of its step", async () => {
  const at = project({
    steps: [step("a"), step("b"), step("c")],
    requests: {
      "a.1.worker": { action: "checkpoint", reason: "look at the plan" },
      "b.1.worker": { action: "loop" },
    },
  });
  const now = async () =>
    json(one(await bylawHere("status --store .bylaw/store.db --run w --json", { cwd: at.cwd })));
  await at.go();
  expect(await now()).toMatchObject({
    finish_reason: "in_progress",
    is_complete: false,
    workflow: { template: "w", status: "paused", step: "a", steps: 3 },
    pauses: [{ step: "a", agent: "worker", reason: "look at the plan" }],
    agents: { worker: { status: "done" } },
  });
  await at.go("--resume", "--by", "ada");
  expect(await now()).toMatchObject({
    workflow: { status: "held", step: "b", held: { step: "b", why: "rejected" } },
    pauses: [],
  });
  await at.go("--resume", "--by", "ada");
  expect(await now()).toMatchObject({
    finish_reason: "completed",
    is_complete: true,
    workflow: { status: "completed", settled: 3, held: null },
    coordination: { phase: null, completion_percentage: 100 },
  });
});

it("takes the plain name status.json in a configuration", async () => {
  const { run } = workplace({
    "bylaw.config.mjs": `import { defineConfig } from "@bylaw/kernel";
import { status } from ${JSON.stringify(import.meta.resolve("@bylaw/plugin-status"))};
export default defineConfig({ plugins: [status({ file: "status.json" })] });`,
  });
  expect((await run("lint")).stderr).not.toContain("{run}");
});

/** Joins the lines of a status into one. */
const one = ({ stdout, ...ran }: Ran) => ({
  ...ran,
  stdout: JSON.stringify(JSON.parse(stdout) as object),
});
