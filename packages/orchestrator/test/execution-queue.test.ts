import { afterEach, describe, expect, it } from "vitest";
import { serve, type Agent, type Served, problemOf } from "./kit.ts";

let at: Served;
afterEach(() => at.close());

type Answer = Awaited<ReturnType<Served["ask"]>>;

const execute = ({ auth, task }: Agent, tool: string, path = "x", key = ""): Promise<Answer> => {
  const body = { task_id: task, tool_name: tool, args: { path } };
  return at.post("/tools/execute", auth, body, key === "" ? {} : { "idempotency-key": key });
};
const move = ({ auth, task }: Agent): Promise<Answer> =>
  at.post("/tasks/transition", auth, {
    task_id: task,
    target_phase: "WORK",
    artifacts: { plan: { title: "x" } },
  });
const running = (tool: string, count: number) => expect.poll(() => at.runs.get(tool)).toBe(count);

/** Makes two calls at once for an agent of which only one may wait. Returns the answer and the key of that one. */
async function waiting(
  agent: Agent,
): Promise<{ readonly answer: Promise<Answer>; readonly key: string }> {
  const calls = ["k1", "k2"].map((key) => ({ key, answer: execute(agent, "note", "x", key) }));
  const [refused, index] = await Promise.race(
    calls.map(async ({ answer }, at) => [await answer, at] as const),
  );
  expect(refused).toMatchObject(problemOf(429, "BYLAW_RATE_EXCEEDED"));
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  const other = calls[1 - index];
  if (other === undefined) throw new Error("expected two calls");
  return other;
}

describe("a call that waits for its turn", () => {
  it("is decided when its turn comes, in the phase of the task at that time", async () => {
    at = await serve({ settings: { limits: { executions: 1, agent_executions: 1 } } });
    const [ann, bob] = [await at.agent("ann"), await at.agent("bob")];
    const slow = execute(bob, "slow");
    await running("slow", 1);
    const { answer } = await waiting(ann);
    expect(await move(ann)).toMatchObject({ status: 200, body: { allowed: true, phase: "WORK" } });
    at.finish();
    expect(await slow).toMatchObject({ status: 200 });
    expect(await answer).toMatchObject(problemOf(403, "token_superseded"));
    expect(at.runs.get("note")).toBeUndefined();
    expect(await at.events("tool_denied", "access_refused")).toMatchObject([
      { event_type: "access_refused", agent_id: "ann" },
    ]);
  });

  it("is made once even if it is repeated with the newer token of the same phase", async () => {
    at = await serve({ settings: { limits: { executions: 1, agent_executions: 1 } } });
    const [ann, bob] = [await at.agent("ann"), await at.agent("bob")];
    const slow = execute(bob, "slow");
    await running("slow", 1);
    const { answer, key } = await waiting(ann);
    let { token } = ann;
    while (token === ann.token) {
      at.pass(250_000);
      token = String(
        (await at.post("/tasks/heartbeat", ann.auth, { task_id: ann.task })).body["phase_token"],
      );
    }
    at.finish();
    await slow;
    expect(await answer).toMatchObject(problemOf(403, "token_superseded"));
    expect(await execute({ ...ann, auth: `Bearer ${token}` }, "note", "x", key)).toMatchObject({
      status: 200,
      body: { result: { count: 1 } },
    });
  });

  it("does not delay the calls of other agents, however many its agent makes", async () => {
    at = await serve({ settings: { limits: { executions: 3, agent_executions: 64 } } });
    const [ann, bob] = [await at.agent("ann"), await at.agent("bob")];
    const calls = Array.from({ length: 6 }, () => execute(ann, "slow"));
    await running("slow", 2);
    expect(await execute(bob, "note")).toMatchObject({ status: 200 });
    expect(at.runs.get("slow")).toBe(2);
    at.finish();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
  });
});

describe("a transition", () => {
  it("waits for running calls of the task, and new calls wait for it", async () => {
    at = await serve();
    const ann = await at.agent("ann");
    const slow = execute(ann, "slow");
    await running("slow", 1);
    const moved = move(ann);
    // Nothing of the transition is recorded while the call runs.
    await execute(await at.agent("bob"), "note");
    const late = execute(ann, "note");
    expect(await at.events("transition_blocked")).toEqual([]);
    at.finish();
    expect(await moved).toMatchObject({ status: 200, body: { allowed: true } });
    expect(await slow).toMatchObject({ status: 200 });
    expect((await late).status).toBe(403);
    const types = (await at.events("tool_result", "phase_entered"))
      .filter(({ task_id }) => task_id === ann.task)
      .map((one) => one.event_type);
    expect(types).toEqual(["phase_entered", "tool_result", "phase_entered"]);
  });

  it("is refused if they take too long, and nothing is decided", async () => {
    at = await serve({ settings: { operate: { longest_wait_ms: 1 } } });
    const ann = await at.agent("ann");
    const slow = execute(ann, "slow");
    await running("slow", 1);
    expect(await move(ann)).toMatchObject(problemOf(409, "BYLAW_CALLS_UNDERWAY"));
    expect(await at.events("transition_blocked")).toEqual([]);
    at.finish();
    await slow;
    expect(await move(ann)).toMatchObject({ status: 200, body: { allowed: true } });
  });
});
