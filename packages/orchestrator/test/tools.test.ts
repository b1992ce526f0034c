import { dirname } from "node:path";
import { readCases } from "@bylaw/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createMemoryStore } from "@bylaw/log";
import { asOperator, serve, type Agent, type Served, problemOf, fails } from "./kit.ts";

const POLICY = `
[[rules]]
name = "ask-before-notes"
action = "ask_user"
tool = "note"
args = { path = { eq = "secret" } }
reason = "This note is about a secret, so a person must approve it."
`;

let at: Served;
let ann: Agent;
let name: string;
let agents = 0;
beforeAll(async () => {
  at = await serve();
});
beforeEach(async () => {
  name = `ann-${(agents += 1)}`;
  ann = await at.agent(name);
  at.runs.clear();
});
afterAll(() => at.close());

/** What is on record about the task of this test. */
const events: Served["events"] = async (...types) =>
  (await at.events(...types)).filter(({ task_id }) => task_id === ann.task);

const call = (tool_name: string, path = "a.ts", more: object = {}) => ({
  task_id: ann.task,
  tool_name,
  args: { path },
  ...more,
});
const execute = (body: object, key?: string) =>
  at.post("/tools/execute", ann.auth, body, key === undefined ? {} : { "idempotency-key": key });
const check = (body: object, key?: string) =>
  at.post("/tools/check", ann.auth, body, key === undefined ? {} : { "idempotency-key": key });

describe("a call that is executed", () => {
  it("is decided, made in the workspace, and recorded with its outcome but not its content", async () => {
    const { status, body } = await execute(call("read_files"));
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        logged: true,
        result: { content: `a.ts in ${at.workspace}` },
        decision: { effect: "allow" },
      },
    });
    const [allowed, result] = await events("tool_allowed", "tool_result");
    expect(allowed).toMatchObject({
      agent_id: name,
      details: { id: body["id"], tool: "read_files", args: { path: "a.ts" } },
    });
    expect(result).toMatchObject({
      details: {
        id: body["id"],
        ok: true,
        result: { digest: expect.stringMatching(/^sha256:/) as string },
      },
    });
    expect(JSON.stringify(result)).not.toContain(at.workspace);
  });

  it("is recorded and not run if it is denied", async () => {
    expect(await execute(call("write_files"))).toMatchObject({
      status: 403,
      body: { code: "phase_tool_not_allowed", decision: { effect: "deny" } },
    });
    expect(at.runs.size).toBe(0);
    expect(await events("tool_denied", "tool_allowed")).toMatchObject([
      { event_type: "tool_denied", agent_id: name },
    ]);
  });

  it.each(readCases<[string, string, string, string]>(import.meta, "failures"))(
    "that %s is reported and recorded",
    async (_, tool, code, detail) => {
      const { status, body } = await execute(call(tool));
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { code, decision: { effect: "allow" } },
      });
      expect(body["detail"]).toMatch(new RegExp(detail));
      expect(await events("tool_result")).toMatchObject([
        { details: { ok: false, result: { error: code } } },
      ]);
    },
  );

  it("with invalid arguments is not made", async () => {
    await fails(
      execute({ ...call("note"), args: { path: "x", mode: "w" } }),
      400,
      "BYLAW_TOOL_ARGUMENTS_INVALID",
    );
    expect(at.runs.size).toBe(0);
  });
});

describe("the same call under the same id", () => {
  it("is made once, even if two come at once, and gets the same answer", async () => {
    const answers = await Promise.all([
      execute(call("note"), "k"),
      execute(call("note"), "k"),
      execute(call("note"), "k"),
    ]);
    expect(
      new Set(answers.map(({ body }) => JSON.stringify([body["id"], body["result"]]))).size,
    ).toBe(1);
    expect((await execute(call("note"), "k")).body).toEqual(answers[0]?.body);
    expect(at.runs.get("note")).toBe(1);
    expect((await events("tool_allowed")).length).toBe(1);
    expect((await events("tool_result")).length).toBe(1);
    expect((await execute(call("note"), "l")).body).toMatchObject({ result: { count: 2 } });
  });

  it("is made once even if the agent has a newer token by then", async () => {
    const first = await execute(call("note"), "k");
    let token = ann.token;
    while (token === ann.token) {
      at.pass(250_000);
      token = String(
        (await at.post("/tasks/heartbeat", ann.auth, { task_id: ann.task })).body["phase_token"],
      );
    }
    const again = await at.post("/tools/execute", `Bearer ${token}`, call("note"), {
      "idempotency-key": "k",
    });
    expect(again).toMatchObject({ status: 200, body: { result: { count: 1 } } });
    expect(first.body).toMatchObject({ result: { count: 1 } });
    expect(at.runs.get("note")).toBe(1);
  });

  it("has a result that only the server reports", async () => {
    const { body } = await execute(call("note"));
    const forged = {
      task_id: ann.task,
      id: body["id"],
      tool_name: "note",
      ok: true,
      result: { exit_code: 0 },
    };
    expect(await at.post("/tools/result", ann.auth, forged)).toMatchObject({ status: 409 });
    expect((await events("tool_result")).length).toBe(1);
  });

  it("is refused for another call, even on another route", async () => {
    await execute(call("note"), "k");
    await fails(execute(call("note", "b.ts"), "k"), 409, "BYLAW_REQUEST_REUSED");
    expect(await check(call("note"), "k")).toMatchObject({ status: 409 });
    expect(at.runs.get("note")).toBe(1);
  });

  it("fails the same way", async () => {
    const first = await execute(call("broken"), "k");
    expect((await execute(call("broken"), "k")).body).toEqual(first.body);
    expect((await events("tool_result")).length).toBe(1);
  });

  it("is not made again if a node died during it, unless it only reads", async () => {
    const store = createMemoryStore();
    const first = await serve({ store });
    const dying = await first.agent("ann", "a");
    const send = (served: Served, tool: string, key: string) =>
      served.post("/tools/execute", dying.auth, call(tool, "a.ts", { task_id: "a" }), {
        "idempotency-key": key,
      });
    void send(first, "slow", "k1");
    // The state of a process that ends between the decision and the result.
    await expect.poll(async () => (await first.events("tool_allowed")).length).toBe(1);
    const folder = dirname(first.workspace);
    const second = await serve({ store }, folder);
    await fails(send(second, "slow", "k1"), 409, "BYLAW_REQUEST_UNFINISHED");
    expect(second.runs.get("slow")).toBeUndefined();
    first.finish();
    await second.close();
    await first.close();
  });
});

it("a call that a person must answer waits for the answer, and is made when it is repeated after a yes", async () => {
  const strict = await serve({ policy: POLICY });
  const bob = await strict.agent("bob", "a");
  const ask = (key?: string) =>
    strict.post(
      "/tools/execute",
      bob.auth,
      call("note", "secret", { task_id: "a" }),
      key === undefined ? {} : { "idempotency-key": key },
    );
  const asked = await ask("k1");
  expect(asked).toMatchObject({
    status: 202,
    body: { status: "pending", decision: { effect: "ask_user" } },
  });
  expect((await ask("k1")).body).toEqual(asked.body);
  expect(strict.runs.size).toBe(0);
  const id = String(asked.body["approval_id"]);
  expect((await strict.get(`/approvals/${id}`, bob.auth)).body).toMatchObject({
    id,
    state: "open",
  });
  expect((await strict.post(`/approvals/${id}`, bob.auth, { answer: "yes" })).status).toBe(403);
  expect((await strict.post(`/approvals/${id}`, asOperator, { answer: "yes" })).status).toBe(200);
  expect(await ask("k2")).toMatchObject({ status: 200, body: { result: { count: 1 } } });
  expect(await ask("k3")).toMatchObject({ status: 202 });
  await strict.close();
});

describe("a call that the agent makes itself", () => {
  it("is decided and recorded", async () => {
    const { body } = await check(call("read_files"));
    expect(body).toMatchObject({
      allowed: true,
      effect: "allow",
      applied: "allow",
      code: "rule_allowed",
    });
    expect(await check(call("write_files"))).toMatchObject({
      status: 200,
      body: { allowed: false, effect: "deny", code: "phase_tool_not_allowed" },
    });
    expect(await events("tool_allowed", "tool_denied")).toMatchObject([
      { details: { id: body["id"] } },
      { event_type: "tool_denied" },
    ]);
    expect(at.runs.size).toBe(0);
    const result = {
      task_id: ann.task,
      id: body["id"],
      tool_name: "read_files",
      ok: true,
      result: { lines: 3 },
    };
    expect((await at.post("/tools/result", ann.auth, result)).body).toEqual({ logged: true });
    expect(await events("tool_result")).toMatchObject([
      { details: { id: body["id"], ok: true, result: { lines: 3 } } },
    ]);
  });

  it("gets the same decision as a preview, which is not recorded", async () => {
    for (const tool of ["read_files", "write_files"]) {
      const before = (await events()).length;
      const { body } = await check(call(tool, "a.ts", { record: false }));
      expect(body).not.toHaveProperty("id");
      expect((await events()).length).toBe(before);
      const { id: _, ...recorded } = (await check(call(tool))).body;
      expect({ ...body, decision: null }).toEqual({ ...recorded, decision: null });
    }
  });

  it("is answered once under its id", async () => {
    const first = await check(call("read_files"), "k");
    expect((await check(call("read_files"), "k")).body).toEqual(first.body);
    expect((await events("tool_allowed")).length).toBe(1);
  });

  it("is decided in a batch, in order", async () => {
    const calls = [
      { id: "one", tool_name: "write_files", args: {} },
      { tool_name: "read_files", args: { path: "x" } },
    ];
    const { body } = await at.post("/tools/check/batch", ann.auth, { task_id: ann.task, calls });
    expect(body).toMatchObject({ decisions: [{ id: "one", allowed: false }, { allowed: true }] });
    const [allowed] = await events("tool_allowed");
    expect(body).toMatchObject({ decisions: [{}, { call_id: allowed?.details["id"] }] });
    expect(
      (await at.post("/tools/check/batch", ann.auth, { task_id: ann.task, calls: [] })).status,
    ).toBe(400);
    const many = Array.from({ length: 101 }, () => ({ tool_name: "read_files", args: {} }));
    expect(
      (await at.post("/tools/check/batch", ann.auth, { task_id: ann.task, calls: many })).status,
    ).toBe(400);
  });
});

describe("an agent that makes too many requests", () => {
  it("must wait, and no other agent must", async () => {
    const small = await serve({
      settings: { limits: { agent_per_second: 0.001, agent_burst: 4 } },
    });
    const [eve, bob] = [await small.agent("eve"), await small.agent("bob")];
    const answers = [];
    for (let left = 5; left > 0; left -= 1) answers.push(await small.get("/tools", eve.auth));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(answers[4]).toMatchObject({ body: { code: "BYLAW_RATE_EXCEEDED" } });
    expect(Number(answers[4]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await small.get("/tools", bob.auth)).status).toBe(200);
    await small.close();
  });

  it("uses as much of its rate with a batch as with its calls", async () => {
    const small = await serve({
      settings: { limits: { agent_per_second: 0.001, agent_burst: 8 } },
    });
    const eve = await small.agent("eve");
    const batch = (length: number) =>
      small.post("/tools/check/batch", eve.auth, {
        task_id: eve.task,
        calls: Array.from({ length }, () => ({ tool_name: "read_files", args: { path: "x" } })),
      });
    expect((await batch(5)).status).toBe(200);
    expect(await batch(3)).toMatchObject(problemOf(429, "BYLAW_RATE_EXCEEDED"));
    expect((await small.events("tool_allowed")).length).toBe(5);
    await small.close();
  });
});
