import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NoTaskReady } from "@bylaw/sdk";
import { AgentClient, NotClaimed, OperatorClient } from "@bylaw/sdk";
import { bylaw, json, jsonLines } from "./bylaw.ts";
import {
  ENROL,
  OPERATOR,
  endServers,
  makeSite,
  startServer,
  type ServerProcess,
} from "./orchestrator-kit.ts";
import { PYTHON, python } from "./python.ts";

/** A contract with one working phase, so that a task ends or expires quickly. */
const CONTRACT = `
bylaw: 1
name: Short
phases:
  - { id: WORK, name: Work, allowed_tools: [read_files, write_files, grep] }
  - { id: DONE, name: Done, allowed_tools: [read_files] }
transitions:
  - from: WORK
    to: DONE
    triggers:
      - { action: update_prd_state, params: { status: completed, by: server } }
      - { action: notify_orchestrator, params: { event: task_completed } }
enforcement:
  mode: strict
coordination:
  state_access: { snapshot_includes: [current_phase, prd_state] }
  conflict_resolution: { lock_timeout_seconds: 6 }
recovery:
  agent_crash: { action: retry, max_retries: 1, backoff_seconds: 3600 }
`;
const site = makeSite(["writes"], CONTRACT);
let server: ServerProcess;
let operator: OperatorClient;
beforeAll(async () => {
  server = await startServer(site);
  operator = new OperatorClient({ endpoint: server.url, operator_token: OPERATOR });
});
afterAll(endServers);

const client = (agent_id: string, heartbeat = false): AgentClient =>
  new AgentClient({ agent_id, endpoint: server.url, enrol_secret: ENROL, heartbeat });
const tasksCommand = (...more: readonly string[]) =>
  bylaw(["tasks", "--url", server.url, "--json", ...more], {
    cwd: site.folder,
    env: { BYLAW_OPERATOR_TOKEN: OPERATOR },
  });

it("an operator creates several tasks in one call: in both clients and on the command line", async () => {
  const created = await operator.createTasks([{ id: "writes" }, { id: "ends" }]);
  expect(created.map(({ id, status }) => [id, status])).toEqual([
    ["writes", "ready"],
    ["ends", "ready"],
  ]);
  writeFileSync(
    site.path("tasks.json"),
    JSON.stringify([{ id: "blocked", dependencies: ["writes", "lost"] }, { id: "lost" }].reverse()),
  );
  expect(jsonLines(tasksCommand("--create", "tasks.json"))).toMatchObject([
    { task: "lost", status: "ready" },
    { task: "blocked", status: "blocked" },
  ]);
  expect(jsonLines(tasksCommand()).map(({ task }) => task)).toEqual([
    "blocked",
    "ends",
    "lost",
    "writes",
  ]);
  // Its agent sends no heartbeat.
  await client("zoe").claimTask({ task_id: "lost" });
  writeFileSync(site.path("tasks.json"), '[{"id":"x","dependencies":["nothing"]}]');
  const refused = tasksCommand("--create", "tasks.json");
  expect([refused.code, json(refused)]).toMatchObject([
    2,
    { error: { code: "BYLAW_EVENT_REFUSED", message: expect.stringMatching(/nothing/) } },
  ]);
});

describe("a batch of executions", () => {
  it("is carried out in order, and stops at the first call that fails", async () => {
    const ann = client("ann", true);
    await ann.claimTask({ task_id: "writes" });
    const write = (path: string, content: string, id: string) => ({
      ...{ id, tool_name: "write_files", args: { path, content } },
    });
    const read = (path: string) => ({ tool_name: "read_files", args: { path } });
    const done = await ann.useTools([write("a.txt", "one", "w"), read("a.txt")]);
    expect(done).toMatchObject([
      { id: "w", status: "done" },
      { status: "done", result: { content: "one" } },
    ]);
    const calls = [
      read("a.txt"),
      { tool_name: "bash", args: { command: "id" } },
      write("b.txt", "", "b"),
    ];
    expect(await ann.useTools(calls)).toMatchObject([
      { status: "done" },
      { status: "denied", code: "phase_tool_not_allowed", reason: expect.stringMatching(/WORK/) },
      { id: "b", status: "skipped" },
    ]);
    expect(await ann.useTools([read("b.txt"), read("a.txt")])).toMatchObject([
      { status: "failed", reason: expect.stringMatching(/b\.txt/) },
      { status: "skipped" },
    ]);
    // Sent again under the same id, it runs once and gives the same answer.
    const append = { tool_name: "write_files", args: { path: "a.txt", content: "+", mode: "a" } };
    const once = { request_id: "batch-1" };
    const first = await ann.useTools([append, append], once);
    expect(await ann.useTools([append, append], once)).toEqual(first);
    expect(await ann.readFile("a.txt")).toMatchObject({ content: "one++" });
    if (!PYTHON) return;
    const { phase_token } = (await (
      await fetch(`${server.url}/api/v1/tasks/claim`, {
        method: "POST",
        headers: { authorization: `Bylaw-Enrol ${ENROL}`, "content-type": "application/json" },
        body: JSON.stringify({ agent_id: "ann", task_id: "writes" }),
      })
    ).json()) as { readonly phase_token: string };
    const program = `
import json, os
from bylaw_sdk import AgentClient
with AgentClient.from_environment(heartbeat=False) as agent:
    calls = [{"tool_name": "read_files", "args": {"path": "a.txt"}}, {"tool_name": "bash", "args": {}}, {"tool_name": "grep", "args": {}}]
    print(json.dumps([outcome["status"] for outcome in agent.use_tools(calls)]))`;
    const environment = {
      ...{ BYLAW_ENDPOINT: server.url, BYLAW_AGENT_ID: "ann", BYLAW_TASK_ID: "writes" },
      BYLAW_PHASE_TOKEN: phase_token,
    };
    expect(python(program, environment)).toEqual(["done", "denied", "skipped"]);
  });

  it("for another agent's task is refused as a whole", async () => {
    const bob = client("bob", true);
    await bob.claimTask({ task_id: "ends" });
    const refused = bob.useTools([{ tool_name: "read_files", args: { path: "a" } }], {});
    expect(await refused).toMatchObject([{ status: "failed" }]);
    await bob.releaseTask();
    await expect(bob.useTools([{ tool_name: "grep", args: {} }])).rejects.toBeInstanceOf(
      NotClaimed,
    );
  });
});

it("the server stores the parameters of the contract's `update_prd_state`, for the snapshot and for operators", async () => {
  const eve = client("eve", true);
  await eve.claimTask({ task_id: "ends" });
  expect(await eve.getStateSnapshot()).toMatchObject({ current_phase: "WORK", prd_state: null });
  await eve.requestTransition("DONE");
  const updated = { status: "completed", by: "server" };
  expect(await eve.getStateSnapshot()).toMatchObject({ current_phase: "DONE", prd_state: updated });
  expect(await operator.task("ends")).toMatchObject({ prd_state: updated });
  expect((await operator.directives()).map(({ action }) => action)).toEqual([
    "notify_orchestrator",
  ]);
  await eve.completeTask();
});

describe("a claim of a task that is not free says why, and what to do", () => {
  const claimOf = async (task_id: string): Promise<unknown> => {
    const refused = client("dan").claimTask({ task_id });
    return await refused.catch(({ name, code, message, fix }: NoTaskReady) => ({
      ...{ name, code, message, fix },
    }));
  };

  it("over HTTP and in the TypeScript client", async () => {
    const completed = {
      ...{ name: "NotClaimed", code: "task_over", fix: "Claim another task." },
      message: "Task `ends` is completed",
    };
    expect(await claimOf("ends")).toEqual(completed);
    expect(await claimOf("blocked")).toMatchObject({
      ...{ name: "NoTaskReady", code: "task_blocked" },
      message: "Task `blocked` is blocked: it waits for `writes`, `lost`",
    });
    expect(await claimOf("writes")).toMatchObject({
      name: "NoTaskReady",
      code: "task_other_agent",
    });
    expect(await claimOf("typo")).toMatchObject({ name: "NoTaskReady", code: "task_unknown" });
    // Its agent expires twice. After the first time the task waits for a while, after the second for a person.
    await client("zoe").claimTask({ task_id: "lost" });
    await expect
      .poll(() => claimOf("lost"), { timeout: 20_000 })
      .toMatchObject({
        ...{ name: "NoTaskReady", code: "task_waiting" },
        message: expect.stringMatching(/^Task `lost` is waiting: .* free again at 20/),
      });
  });

  it.runIf(PYTHON)("in the Python client", () => {
    const program = `
import json
from bylaw_sdk import AgentClient, AgentError
def state(task):
    try:
        AgentClient("dan", ${JSON.stringify("URL")}, enrol_secret=${JSON.stringify(ENROL)}).claim_task(task_id=task)
    except AgentError as error:
        return [type(error).__name__, error.code, str(error)]
print(json.dumps([state("ends"), state("lost"), state("blocked")]))`.replace("URL", server.url);
    expect(python(program, {})).toMatchObject([
      ["NotClaimed", "task_over", expect.stringMatching(/completed/)],
      ["NoTaskReady", "task_waiting", expect.stringMatching(/waiting/)],
      ["NoTaskReady", "task_blocked", expect.stringMatching(/blocked/)],
    ]);
  });

  it("on the command line", () => {
    const states = Object.fromEntries(
      jsonLines(tasksCommand()).map(({ task, status }) => [task, status]),
    );
    expect(states).toEqual({
      ...{ blocked: "blocked", ends: "completed", lost: "waiting", writes: "claimed" },
    });
  });
});
