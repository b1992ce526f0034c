import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { asNewcomer, asOperator, serve, type Served, fails } from "./kit.ts";
import {
  eventsOf,
  planOf,
  serve as serveOperators,
  type Served as Operated,
} from "./operate-kit.ts";

let at: Served;
let task: string;
let tasks = 0;
beforeAll(async () => {
  at = await serve();
});
beforeEach(() => {
  task = `task-${(tasks += 1)}`;
});
afterAll(() => at.close());

const ann = () => at.agent(`ann-of-${task}`, task);
const claim = (name: string) =>
  at.post("/tasks/claim", asNewcomer, { agent_id: `${name}-of-${task}`, task_id: task });
/** What is on record about the task of this test. */
const recorded = async (type: string) =>
  (await at.events(type)).filter(({ task_id }) => task_id === task);

const keyed = (key: string) => ({ "idempotency-key": key });

describe.each([
  ["release", {}, "ready", "task_released"],
  ["release", { reason: "elsewhere" }, "ready", "task_released"],
  ["fail", { reason: "cannot be done" }, "failed", "task_failed"],
] as const)("to %s %j", (verb, body, status, type) => {
  const end = (auth: string, key: string, more: object = {}) =>
    at.post(`/tasks/${verb}`, auth, { task_id: task, ...body, ...more }, keyed(key));

  it("gets the same answer when it is repeated, and happens once", async () => {
    const { auth } = await ann();
    const first = await end(auth, "r1");
    expect(first).toMatchObject({ status: 200, body: { task_id: task, status } });
    expect(await end(auth, "r1")).toMatchObject({ status: 200, body: first.body });
    expect(await recorded(type)).toHaveLength(1);
  });

  it("gets the same answer when both come at once", async () => {
    const { auth } = await ann();
    const answers = await Promise.all(Array.from({ length: 5 }, () => end(auth, "r1")));
    expect(answers.map((one) => [one.status, one.body])).toEqual(
      answers.map(() => [200, { task_id: task, status }]),
    );
    expect(await recorded(type)).toHaveLength(1);
  });

  it("gets the same answer when another agent has the task by then, who keeps it", async () => {
    const { auth } = await ann();
    const { body: first } = await end(auth, "r1");
    if (verb === "fail") await at.post(`/tasks/${task}/retry`, asOperator, {});
    const bob = await claim("bob");
    expect((await end(auth, "r1")).body).toEqual(first);
    expect(
      await at.post("/tasks/heartbeat", `Bearer ${String(bob.body["phase_token"])}`, {
        task_id: task,
      }),
    ).toMatchObject({ status: 200 });
  });

  it("is refused under the id of another request, and under another id", async () => {
    const { auth } = await ann();
    await end(auth, "r1");
    await fails(end(auth, "r1", { reason: "another" }), 409, "BYLAW_REQUEST_REUSED");
    expect((await end(auth, "r2")).status).toBeGreaterThanOrEqual(403);
    // The agent's next claim is not affected.
    if (verb === "fail") await at.post(`/tasks/${task}/retry`, asOperator, {});
    const again = await claim("ann");
    expect((await end(`Bearer ${String(again.body["phase_token"])}`, "r1")).status).toBe(409);
    expect(await recorded(type)).toHaveLength(1);
  });
});

it("a task is retried once for each request, however often the request is repeated", async () => {
  const retry = () =>
    at.post(`/tasks/${task}/retry`, asOperator, { reason: "try harder" }, keyed("r1"));
  const { auth } = await ann();
  await at.post("/tasks/fail", auth, { task_id: task, reason: "cannot be done" });
  const first = await retry();
  expect(first).toMatchObject({ status: 200, body: { status: "ready" } });
  expect(await retry()).toMatchObject({ status: 200, body: first.body });
  const again = await claim("ann");
  await at.post("/tasks/fail", `Bearer ${String(again.body["phase_token"])}`, {
    task_id: task,
    reason: "still not",
  });
  expect(await retry()).toMatchObject({ status: 200, body: { status: "failed" } });
  expect(await recorded("task_retried")).toHaveLength(1);
});

describe("a rule of the constitution", () => {
  let at: Served;
  beforeEach(async () => {
    at = await serve();
  });
  afterEach(() => at.close());

  const rule = { rule: "Nobody writes.", check: { action: "deny", tool: "write_files" } };
  const change = (auth: string, method: string, key: string, body: unknown = rule) =>
    at.ask(method, "/constitution", auth, method === "DELETE" ? undefined : body, keyed(key));

  it("is added once, by an agent and by an operator", async () => {
    const ann = await at.agent("ann", "a");
    for (const auth of [ann.auth, asOperator]) {
      const first = await change(auth, "POST", "r1");
      expect(first.status).toBe(200);
      expect(await change(auth, "POST", "r1")).toMatchObject({ status: 200, body: first.body });
      expect((await change(auth, "POST", "r1", { rule: "Another." })).body).toMatchObject({
        code: "BYLAW_REQUEST_REUSED",
      });
    }
    expect(await at.events("constitution_updated")).toHaveLength(2);
  });

  it("is added once when both requests come at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => change(asOperator, "POST", "r1")),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await at.events("constitution_updated")).toHaveLength(1);
  });

  it("is added once through any number of nodes", async () => {
    const other = await serve({ store: at.store });
    try {
      const nodes = [at, other, at, other];
      const answers = await Promise.all(
        nodes.map((node) => node.post("/constitution", asOperator, rule, keyed("r1"))),
      );
      expect(answers.map(({ status, body }) => [status, body])).toEqual(
        nodes.map(() => [200, answers[0]?.body]),
      );
      expect((await other.post("/constitution", asOperator, rule, keyed("r1"))).body).toEqual(
        answers[0]?.body,
      );
      expect(await at.events("constitution_updated")).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  it("that was added later is not removed by a repeated request", async () => {
    await change(asOperator, "POST", "r1");
    for (const [method, key] of [
      ["PUT", "r2"],
      ["DELETE", "r3"],
    ] as const) {
      const body = { rules: [] };
      expect((await change(asOperator, method, key, body)).body).toEqual({ rules: [] });
      const later = await change(asOperator, "POST", `${key}-later`);
      expect((await change(asOperator, method, key, body)).body).toEqual(later.body);
    }
    expect(await at.events("constitution_reset")).toHaveLength(2);
  });
});

describe("a request of an operator", () => {
  let served: Operated;
  beforeEach(async () => {
    const spawning = `name: Build
    auto_spawn: [{ agent_type: review, models: [security], parallel: true, wait_for_completion: false }]`;
    served = await serveOperators({ contract: (text) => text.replace("name: Build", spawning) });
  });
  afterEach(() => served.close());

  async function post(path: string, body: object, key = "r1", who: "ada" | "bob" = "ada") {
    const headers = {
      ...served.as(who).headers,
      "content-type": "application/json",
      ...keyed(key),
    };
    const response = await fetch(`${served.base}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      body: (await response.json()) as Readonly<Record<string, unknown>>,
    };
  }
  const idOf = async (task: string): Promise<string> => {
    const { body } = await served.as("ada").get("/approvals");
    return (
      (body["approvals"] as unknown as { id: string; task: string }[]).find(
        (one) => one.task === task,
      )?.id ?? "none"
    );
  };
  const recordedOf = async (type: string) =>
    (await eventsOf(served)).filter(({ event_type }) => event_type === type);

  /** Sends a request three times, with another in between. All answers must be the same, with one event. */
  async function thrice(path: string, body: object, type: string): Promise<void> {
    const first = await post(path, body, type);
    expect(first).toMatchObject({ status: 200, body: { sequence: expect.any(Number) } });
    expect(await post(path, body, type)).toEqual(first);
    expect(await post(path, { ...body, surplus: 1 }, type)).toMatchObject({ status: 400 });
    expect(await post(path, body, type)).toEqual(first);
    const events = await recordedOf(type);
    expect(events.map(({ sequence }) => sequence)).toEqual([first.body["sequence"]]);
    // Another operator does not get this answer.
    expect((await post(path, body, type, "bob")).body).not.toEqual(first.body);
  }

  it.each([
    [{ answer: "yes" }, "approval_granted"],
    [{ answer: "no", reason: "Not this host" }, "approval_refused"],
  ])(
    "with the answer %j to a call is recorded once, and repeated with the same result",
    async (said, type) => {
      const agent = await served.claim("call");
      await agent.check("web_fetch", { url: "https://example.com" });
      const id = await idOf(agent.task);
      await thrice(`/approvals/${id}`, said, type);
      await fails(
        post(`/approvals/${id}`, { ...said, reason: "other" }, type),
        409,
        "BYLAW_REQUEST_REUSED",
      );
    },
  );

  it("with an answer to a call that comes twice at once is recorded once", async () => {
    const agent = await served.claim("call");
    await agent.check("web_fetch", { url: "https://example.com" });
    const path = `/approvals/${await idOf(agent.task)}`;
    const [first, ...others] = await Promise.all(
      Array.from({ length: 5 }, () => post(path, { answer: "yes" })),
    );
    expect(first?.status).toBe(200);
    for (const other of others) expect(other).toEqual(first);
    expect(await recordedOf("approval_granted")).toHaveLength(1);
  });

  it("that did nothing leaves its id free for another request", async () => {
    const agent = await served.claim("call");
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    await agent.check("web_fetch", { url: "https://example.com" });
    const path = `/approvals/${await idOf(agent.task)}`;
    expect(await post(path, { answer: "yes", role: "human", expires_at })).toMatchObject({
      status: 409,
    });
    expect(await post(path, { answer: "yes", expires_at })).toMatchObject({ status: 200 });
  });

  it("with an answer to a gate, a waiver or a report is recorded once, and repeated with the same result", async () => {
    const agent = await served.claim("gate");
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const waiver = {
      task_id: agent.task,
      gate: "plan_approval",
      check: "plan_has_acceptance_criteria",
      role: "lead",
      expires_at,
      reason: "The criteria of this task are in the ticket that everybody works from, number 1234.",
    };
    const first = await post("/waivers", waiver, "w1");
    expect(first).toMatchObject({ status: 200, body: { event_type: "check_waived" } });
    expect(await post("/waivers", waiver, "w1")).toEqual(first);
    expect(await recordedOf("check_waived")).toHaveLength(1);
    await agent.move("BUILD", planOf("It greets"));
    await thrice(
      `/approvals/${await idOf(agent.task)}`,
      { answer: "yes", role: "lead" },
      "gate_decided",
    );
    expect((await agent.move("BUILD", planOf("It greets"))).body).toMatchObject({ allowed: true });
    const { body } = await served.as("ada").get("/directives");
    const [{ directive }] = body["directives"] as unknown as readonly [{ directive: string }];
    await thrice(
      `/directives/${directive}`,
      { ok: true, agent: "reviewer", verdict: "approved" },
      "directive_completed",
    );
  });
});
