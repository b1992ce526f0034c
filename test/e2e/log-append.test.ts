// A coordinator that is only a prompt records the events of spec/003 by the command line.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bylawHere, json, jsonLines, workplace, type Ran } from "./bylaw.ts";
import { connectMcp } from "./mcp.ts";

const BEGIN = "log append --create --run refunds --plan plan.md --tasks 1";
const append = (cwd: string, type: string, agent: string, details: object): Promise<Ran> =>
  bylawHere(
    [
      ...["log", "append", "--type", type, "--agent", agent, "--task", "task-1"],
      ...["--details", JSON.stringify(details)],
    ],
    { cwd },
  );

it("records what a coordinator did, refuses what cannot have happened, and shows where tasks stand", async () => {
  const { cwd, run } = workplace();
  const begun = await run([
    ...BEGIN.split(" "),
    ...["--type", "developer_dispatched", "--agent", "dev-1", "--task", "task-1"],
    ...["--details", '{"blocked_by":[]}'],
  ]);
  expect(begun).toEqual({
    code: 0,
    stdout: "refunds: developer_dispatched (event 2)\n",
    stderr: "",
  });
  const early = await append(cwd, "task_complete", "dev-1", { evidence_summary: "it works" });
  expect(early).toMatchObject({ code: 1, stdout: "" });
  expect(early.stderr).toMatch(/^error BYLAW_EVENT_REFUSED: .*auditor/);
  const files = { files_modified: ["src/refunds.ts"] };
  expect((await append(cwd, "developer_ready_for_review", "dev-1", files)).code).toBe(0);
  expect((await run(["tasks"])).stdout).toMatch(/\ntask-1 +awaiting_review +dev-1 +- +-\n$/);
  expect(json(await run(["tasks", "--json"]))).toEqual({
    task: "task-1",
    status: "awaiting_review",
    developers: ["dev-1"],
    critic: null,
    auditor: null,
  });
  expect(await run("log verify --profile coordinator")).toMatchObject({ code: 0 });
  // All of it belongs to the first session.
  expect(jsonLines(await run("log query --type session_* --json"))).toMatchObject([
    { event_type: "session_start", details: { plan_file: "plan.md", total_tasks: 1 } },
  ]);
  const resumed = await run([
    ...["log", "append", "--resume", "--type", "developer_dispatched", "--agent", "dev-2"],
    ...["--task", "task-1", "--details", '{"blocked_by":[]}'],
  ]);
  expect(resumed.code).toBe(0);
  expect(jsonLines(await run("log query --type session_* --json"))).toHaveLength(2);
});

it("records all events of a file or none, and only a coordinator's", async () => {
  const { cwd, run } = workplace();
  mkdirSync(join(cwd, "src"));
  const event = (type: string, agent: string, details: object): string =>
    `${JSON.stringify({ event_type: type, agent_id: agent, task_id: "task-1", details })}\n`;
  const dispatched = event("developer_dispatched", "dev-1", { blocked_by: [] });
  const complete = event("task_complete", "dev-1", { evidence_summary: "x" });
  const from = (input: string, ...more: readonly string[]): Promise<Ran> =>
    run([...BEGIN.split(" "), "-", ...more], { input });
  expect((await from(dispatched + complete)).code).toBe(1);
  expect(jsonLines(await run("log query --json"))).toHaveLength(1);
  expect(jsonLines(await from(dispatched, "--json"))).toMatchObject([
    { sequence: 2, event_type: "developer_dispatched", agent_id: "dev-1", task_id: "task-1" },
  ]);
  const code = async (input: string): Promise<string> =>
    (await from(input)).stderr.split("\n")[0] ?? "";
  expect(await code(event("developer_dispached", "dev-1", {}))).toMatch(
    /is no event of a coordinator/,
  );
  expect((await from(event("developer_dispached", "dev-1", {}))).stderr).toMatch(
    /fix: Did you mean `developer_dispatched`/,
  );
  // This command cannot approve, waive or move a phase.
  for (const type of [
    ...["gate_decided", "approval_granted", "check_waived", "phase_entered"],
    "experiment_assigned",
  ])
    expect(await code(event(type, "ada", {}))).toMatch(
      /^error BYLAW_EVENT_INVALID: -:1 |no event of a/,
    );
  expect(await code(event("session_resumed", "ada", {}))).toMatch(/^error BYLAW_EVENT_/);
  expect(await code("[]\n")).toMatch(/BYLAW_EVENT_INVALID/);
  expect(await code('{"event_type":"developer_dispatched","agent":"x"}\n')).toMatch(
    /Unknown key `agent`/,
  );
  expect(await code("")).toMatch(/BYLAW_USAGE_INVALID/);
  const step = await run(["log", "append", "-"], { input: dispatched, env: { BYLAW_RUN: "w" } });
  expect(step).toMatchObject({ code: 2, stderr: expect.stringContaining("BYLAW_MCP_FOREIGN") });
  expect((await run("log append --run other --type developer_dispatched")).stderr).toMatch(
    /BYLAW_RUN_MISSING/,
  );
  expect(jsonLines(await run("log query --json"))).toHaveLength(2);
});

it("offers a coordinator a tool that records under the same rules", async () => {
  const { cwd, run } = workplace();
  const details = ["--details", '{"blocked_by":[]}'];
  const first = "--type developer_dispatched --agent dev-1 --task task-1".split(" ");
  await run([...BEGIN.split(" "), ...first, ...details]);
  const named = ["--store", ".bylaw/store.db", "--run", "refunds", "--agent", "lead"];
  const coordinator = await connectMcp([...named, "--coordinator"], cwd);
  const record = (event_type: string, agent_id: string, about: object) =>
    coordinator.callTool({
      name: "record_event",
      arguments: { event_type, agent_id, task_id: "task-1", details: about },
    });
  const ready = { files_modified: ["src/refunds.ts"] };
  expect(await record("developer_ready_for_review", "dev-1", ready)).toMatchObject({
    structuredContent: { event_type: "developer_ready_for_review" },
  });
  const early = await record("task_complete", "dev-1", { evidence_summary: "it works" });
  expect(early).toMatchObject({ isError: true });
  expect(JSON.stringify(early.content)).toContain("auditor");
  const assigned = { experiment: "fewer-asks", variant: "b", share: 1 };
  expect(await record("experiment_assigned", "dev-1", assigned)).toMatchObject({ isError: true });
  const agent = await connectMcp(named, cwd);
  const { tools } = await agent.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("record_event");
  expect((await run(["mcp", "--coordinator"], { env: { BYLAW_RUN: "w" } })).stderr).toMatch(
    /BYLAW_MCP_FOREIGN/,
  );
});
