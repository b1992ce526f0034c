import { createMemoryStore } from "@bylaw/log";
import { afterEach, expect, test } from "vitest";
import { Scheduler, type Step } from "../src/service/scheduler.ts";
import { eventsOf, planOf, serve, type Served } from "./operate-kit.ts";

const BEGIN = Date.parse("2026-03-01T09:00:00Z");
const ALERTS = `
monitoring:
  alerts:
    - condition: "task_stuck_in_phase > 30m"
      action: notify_human
      message: "It takes long"
`;

let open: Served[] = [];
afterEach(async () => {
  for (const served of open.toReversed()) await served.close();
  open = [];
});

/** Two nodes on one store, with a clock that only the test moves. */
async function twoNodes(): Promise<{
  readonly nodes: readonly [Served, Served];
  readonly pass: (minutes: number) => void;
}> {
  let time = BEGIN;
  const now = (): string => new Date(time).toISOString();
  const store = createMemoryStore({ now: () => time });
  // They do scheduled work only when the test tells them to.
  const settings = { operate: { due_every_ms: 86_400_000 } };
  const one = await serve({ store, now, settings, contract: (text) => `${text}${ALERTS}` });
  const two = await serve({ store, now, settings, beside: one });
  open = [one, two];
  return { nodes: [one, two], pass: (minutes) => (time += minutes * 60_000) };
}

const rounds = (nodes: readonly Served[]): Promise<unknown> =>
  Promise.all(nodes.map(({ orchestrator }) => orchestrator.service.operations.scheduler.round()));

const typesOf = async (served: Served): Promise<readonly string[]> =>
  (await eventsOf(served)).map(({ event_type }) => event_type);

test("a timed-out gate is escalated once, whatever the number of nodes, and not refused", async () => {
  const { nodes, pass } = await twoNodes();
  const [one, two] = nodes;
  const agent = await one.claim("ann");
  await agent.move("BUILD", planOf("It greets"));
  await rounds(nodes);
  expect(await typesOf(one)).not.toContain("gate_escalated");
  pass(61);
  await rounds(nodes);
  await rounds(nodes);
  expect((await typesOf(one)).filter((type) => type === "gate_escalated")).toHaveLength(1);
  const listed = (await two.as("ada").get("/approvals")).body as unknown as {
    approvals: readonly object[];
  };
  expect(listed.approvals).toMatchObject([
    { gate: "plan_approval", escalated: true, state: "open" },
  ]);
});

test("an alert is raised once when its condition begins to hold, and cleared once when it ends", async () => {
  const { nodes, pass } = await twoNodes();
  const [one] = nodes;
  const alerts = async (): Promise<readonly string[]> =>
    (await typesOf(one)).filter((type) => type.startsWith("alert_"));
  const agent = await one.claim("ann");
  for (let times = 0; times < 8; times += 1) {
    pass(4);
    expect((await agent.send("POST", "/tasks/heartbeat", { task_id: agent.task })).status).toBe(
      200,
    );
  }
  await rounds(nodes);
  await rounds(nodes);
  expect(await alerts()).toEqual(["alert_raised"]);
  await agent.move("BUILD", planOf("It greets"));
  const { approvals } = (await one.as("ada").get("/approvals")).body as unknown as {
    approvals: readonly { id: string }[];
  };
  await one
    .as("ada")
    .send("POST", `/approvals/${approvals[0]?.id ?? ""}`, { answer: "yes", role: "lead" });
  expect((await agent.move("BUILD", planOf("It greets"))).body).toMatchObject({ allowed: true });
  await rounds(nodes);
  await rounds(nodes);
  expect(await alerts()).toEqual(["alert_raised", "alert_cleared"]);
});

test("a task of a lost agent is recovered once, and goes to the next agent", async () => {
  const { nodes, pass } = await twoNodes();
  const [one, two] = nodes;
  const { task } = await one.claim("ann");
  pass(6);
  await rounds(nodes);
  await rounds(nodes);
  const types = await typesOf(one);
  expect(types.filter((type) => type === "task_lapsed" || type === "task_escalated")).toHaveLength(
    1,
  );
  pass(10);
  await rounds(nodes);
  const taken = await two.as("operator").get(`/tasks/${task}`);
  expect(taken.status).toBe(200);
});

test("a failing step does not stop others, rounds do not overlap, and none begins after the stop", async () => {
  const done: string[] = [];
  const failures: string[] = [];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: second, resolve: begun } = Promise.withResolvers<void>();
  const steps: Step[] = [
    { name: "first", work: () => Promise.reject(new Error("no store")) },
    { name: "second", work: async () => (begun(), await held, done.push("second")) },
    { name: "third", work: async () => done.push("third") },
  ];
  const log = {
    debug() {},
    info() {},
    error() {},
    warn: (fields: object) => void failures.push(JSON.stringify(fields)),
  };
  const scheduler = new Scheduler({ steps, every_ms: 86_400_000, log });
  const [first, again] = [scheduler.round(), scheduler.round()];
  expect(first).toBe(again);
  await second;
  const stopped = scheduler.stop();
  release();
  await Promise.all([first, stopped]);
  expect(done).toEqual(["second"]);
  expect(failures).toEqual([JSON.stringify({ step: "first", error: "no store" })]);
  await scheduler.round();
  expect(done).toEqual(["second"]);
});
