import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asNewcomer, asOperator, serve, type Served, problemOf, fails } from "./kit.ts";

let at: Served;
beforeEach(async () => {
  at = await serve();
});
afterEach(() => at.close());

const claim = (agent_id: string, more: object = {}) =>
  at.post("/tasks/claim", asNewcomer, { agent_id, ...more });
const plan = { plan: { title: "A plan" } };

describe("tasks", () => {
  it("are created once, with their dependencies and required capabilities", async () => {
    const tasks = [
      { id: "a" },
      { id: "b", dependencies: ["a"], capabilities: ["go"], title: "The second" },
    ];
    const first = await at.post("/tasks", asOperator, { tasks });
    expect(first).toMatchObject({
      status: 201,
      body: {
        tasks: [
          { id: "a", status: "ready" },
          { id: "b", status: "blocked", unmet_dependencies: 1 },
        ],
      },
    });
    expect((await at.post("/tasks", asOperator, { tasks })).body).toEqual(first.body);
    expect(await at.post("/tasks", asOperator, { id: "a", title: "Another" })).toMatchObject({
      status: 409,
    });
    expect(
      await at.post("/tasks", asOperator, { id: "c", dependencies: ["nothing"] }),
    ).toMatchObject({ status: 409 });
    expect(await at.post("/tasks", asOperator, { id: "" })).toMatchObject({ status: 400 });
    const [one, two] = [
      await at.post("/tasks", asOperator, { title: "T" }, { "idempotency-key": "k" }),
      await at.post("/tasks", asOperator, { title: "T" }, { "idempotency-key": "k" }),
    ];
    expect(two.body).toEqual(one.body);
    expect((await at.events("task_created")).length).toBe(3);
  });

  it("appear in a snapshot in pages under 100 KB, even if one depends on ten thousand others", async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `a-task-with-a-long-name-${index}`);
    for (let from = 0; from < names.length; from += 1_000) {
      const tasks = names.slice(from, from + 1_000).map((id) => ({ id }));
      expect((await at.post("/tasks", asOperator, { tasks })).status).toBe(201);
    }
    expect((await at.post("/tasks", asOperator, { id: "last", dependencies: names })).status).toBe(
      201,
    );
    const told: string[] = [];
    let cursor: string | null = null;
    do {
      const path: string = `/state/snapshot?task_id=last${cursor === null ? "" : `&cursor=${cursor}`}`;
      const { status, body }: { readonly status: number; readonly body: Record<string, unknown> } =
        await at.get(path, asOperator);
      expect(status).toBe(200);
      expect(JSON.stringify(body).length).toBeLessThan(100_000);
      told.push(...(body["task_dependencies"] as readonly string[]));
      cursor = body["next"] as string | null;
    } while (cursor !== null);
    expect(new Set(told)).toEqual(new Set(names));
    expect(told.length).toBe(names.length);
  });

  it("are listed in pages, with filters", async () => {
    await at.post("/tasks", asOperator, {
      tasks: Array.from({ length: 7 }, (_, index) => ({ id: `t${index}` })),
    });
    await claim("ann", { task_id: "t3" });
    const pages: string[][] = [];
    for (let cursor = ""; ;) {
      const { body } = await at.get(
        `/tasks?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`,
        asOperator,
      );
      pages.push((body["tasks"] as unknown as { id: string }[]).map(({ id }) => id));
      if (body["next"] === null) break;
      cursor = String(body["next"]);
    }
    expect(pages).toEqual([["t0", "t1", "t2"], ["t3", "t4", "t5"], ["t6"]]);
    expect((await at.get("/tasks?status=claimed", asOperator)).body).toMatchObject({
      tasks: [{ id: "t3", agent_id: "ann", phase: "PLAN" }],
      next: null,
    });
    expect((await at.get("/tasks?limit=0", asOperator)).status).toBe(400);
    expect((await at.get("/tasks/none", asOperator)).status).toBe(404);
  });
});

describe("a claim", () => {
  it("creates a task if nobody ever created one, and none otherwise", async () => {
    const first = await claim("ann", { request_id: "r1" });
    expect(first).toMatchObject({
      status: 200,
      body: { phase: "PLAN", task: { agent_id: "ann", assigned_phase: "PLAN", fence: 1 } },
    });
    const second = await claim("bob");
    expect(second.body["task"]).toMatchObject({ agent_id: "bob" });
    expect((await claim("ann", { request_id: "r1" })).body).toEqual(first.body);
    expect((await at.events("task_created")).length).toBe(2);
    await at.post("/tasks", asOperator, { id: "a" });
    expect((await claim("cid")).body["task"]).toMatchObject({ id: "a" });
    expect(await claim("dan")).toMatchObject(problemOf(404, "task_none_ready"));
    const seeded = await serve({ settings: { tasks: { create_on_claim: false } } });
    expect((await seeded.post("/tasks/claim", asNewcomer, { agent_id: "ann" })).status).toBe(404);
    await seeded.close();
  });

  it("returns a token for the phase, its allowed tools and the contract", async () => {
    const { body } = await claim("ann");
    expect(body).toMatchObject({
      allowed_tools: ["read_files", "note", "slow", "broken", "web_fetch"],
      contract: { name: "Two phases", version: "3" },
      token_expires_at: "2026-01-02T11:00:00.000Z",
    });
    expect((await at.get("/tools", `Bearer ${String(body["phase_token"])}`)).body).toMatchObject({
      phase: "PLAN",
    });
  });

  it("only returns tasks that fit the agent's capabilities", async () => {
    await at.post("/tasks", asOperator, {
      tasks: [{ id: "a", capabilities: ["go"] }, { id: "b" }],
    });
    expect((await claim("ann")).body).toMatchObject({ task: { id: "b" } });
    expect((await claim("bob")).status).toBe(404);
    expect((await claim("bob", { capabilities: ["go", "c"] })).body).toMatchObject({
      task: { id: "a" },
    });
  });

  it("returns the same task and token when it is repeated", async () => {
    const first = await claim("ann", { request_id: "r1" });
    const again = await claim("ann", { request_id: "r1" });
    expect(again.body).toEqual(first.body);
    const { task } = first.body as unknown as { task: { id: string } };
    expect((await claim("ann", { task_id: task.id })).body["phase_token"]).toBe(
      first.body["phase_token"],
    );
    expect((await at.events("task_claimed")).length).toBe(1);
    expect((await at.events("token_issued")).length).toBe(2);
  });

  it("gives each of a hundred tasks to one agent when a thousand claim at once", async () => {
    const tasks = Array.from({ length: 100 }, (_, index) => ({ id: `t${index}` }));
    await at.post("/tasks", asOperator, { tasks });
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => claim(`agent-${index}`)),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won.length).toBe(100);
    expect(
      new Set(won.map(({ body }) => (body["task"] as unknown as { id: string }).id)).size,
    ).toBe(100);
    expect(answers.filter(({ status }) => status === 404).length).toBe(900);
    const [one] = won;
    expect((await at.get("/tools", `Bearer ${String(one?.body["phase_token"])}`)).status).toBe(200);
  }, 60_000);

  it("waits for a task that becomes free", async () => {
    await at.post("/tasks", asOperator, { id: "a" });
    const held = await claim("ann");
    const waiting = claim("bob", { wait_ms: 20_000 });
    await at.post("/tasks/release", `Bearer ${String(held.body["phase_token"])}`, { task_id: "a" });
    expect((await waiting).body).toMatchObject({ task: { id: "a", agent_id: "bob", fence: 2 } });
  });

  it("after the end of a lease gives the task to the next agent in its phase, and invalidates the old token", async () => {
    const ann = await at.agent("ann", "a");
    await at.post("/tasks/transition", ann.auth, {
      task_id: "a",
      target_phase: "WORK",
      artifacts: plan,
    });
    at.pass(301_000);
    expect((await claim("bob")).status).toBe(404);
    at.pass(61_000);
    const bob = await claim("bob");
    expect(bob.body).toMatchObject({
      task: { id: "a", agent_id: "bob", assigned_phase: "WORK" },
      phase: "WORK",
    });
    await fails(
      at.post("/tools/execute", ann.auth, {
        task_id: "a",
        tool_name: "read_files",
        args: { path: "x" },
      }),
      403,
      "token_superseded",
    );
  });
});

describe("an agent that holds a task", () => {
  it("keeps it with heartbeats, and gets a new token before the old one ends", async () => {
    const ann = await at.agent("ann", "a");
    const beat = (auth: string) => at.post("/tasks/heartbeat", auth, { task_id: "a" });
    at.pass(200_000);
    expect((await beat(ann.auth)).body).toMatchObject({
      lease_until: "2026-01-02T10:08:20.000Z",
      phase_token: ann.token,
      phase: "PLAN",
    });
    for (let left = 12; left > 0; left -= 1) {
      at.pass(250_000);
      expect((await beat(ann.auth)).status).toBe(left > 0 ? 200 : 0);
      if ((await at.events("token_issued")).length > 2) break;
    }
    const { body } = await claim("ann", { task_id: "a" });
    expect(body["phase_token"]).not.toBe(ann.token);
    expect((await beat(ann.auth)).body).toMatchObject({ code: "token_superseded" });
    expect((await beat(`Bearer ${String(body["phase_token"])}`)).status).toBe(200);
  });

  it("learns when its lease or its token has ended", async () => {
    const ann = await at.agent("ann", "a");
    at.pass(301_000);
    await fails(
      at.post("/tasks/heartbeat", ann.auth, { task_id: "a" }),
      409,
      "BYLAW_EVENT_REFUSED",
    );
    at.pass(3_600_000);
    await fails(at.post("/tasks/heartbeat", ann.auth, { task_id: "a" }), 403, "token_expired");
  });

  it("can give it back or fail it, and then a person can retry it", async () => {
    const ann = await at.agent("ann", "a");
    expect(
      (await at.post("/tasks/release", ann.auth, { task_id: "a", reason: "elsewhere" })).body,
    ).toEqual({ task_id: "a", status: "ready" });
    expect((await at.post("/tasks/release", ann.auth, { task_id: "a" })).status).toBe(403);
    const bob = await claim("bob");
    const auth = `Bearer ${String(bob.body["phase_token"])}`;
    expect(
      (await at.post("/tasks/fail", auth, { task_id: "a", reason: "cannot be done" })).body,
    ).toEqual({ task_id: "a", status: "failed" });
    expect((await claim("cid")).status).toBe(404);
    expect(
      (await at.post("/tasks/a/retry", asOperator, { reason: "try harder" })).body,
    ).toMatchObject({ status: "ready" });
    expect((await claim("cid")).body).toMatchObject({ task: { id: "a" } });
  });
});

describe("a transition", () => {
  const move = (auth: string, body: object = {}, key?: string) =>
    at.post(
      "/tasks/transition",
      auth,
      { task_id: "a", target_phase: "WORK", artifacts: plan, ...body },
      key === undefined ? {} : { "idempotency-key": key },
    );

  it("that is blocked lists the blockers, and leaves the token valid", async () => {
    const ann = await at.agent("ann", "a");
    const blocked = await move(ann.auth, { artifacts: {} });
    expect(blocked).toMatchObject({
      status: 200,
      body: { allowed: false, new_token: null, phase: "PLAN" },
    });
    expect(String(blocked.body["blockers"])).toContain("plan");
    expect((await at.get("/state/snapshot", ann.auth)).body).toMatchObject({
      task_id: "a",
      current_phase: "PLAN",
      blockers: [{ code: "artifact_missing" }],
    });
    expect((await at.get("/tools", ann.auth)).status).toBe(200);
  });

  it("returns the token of the next phase, and invalidates the old one everywhere", async () => {
    const ann = await at.agent("ann", "a");
    const { body } = await move(ann.auth, { current_phase: "PLAN" });
    expect(body).toMatchObject({
      allowed: true,
      phase: "WORK",
      blockers: [],
      allowed_tools: ["read_files", "write_files"],
      replayed: false,
    });
    const next = `Bearer ${String(body["new_token"])}`;
    expect((await at.get("/tools", next)).body).toMatchObject({ phase: "WORK" });
    for (const path of ["/tools/execute", "/tools/check"])
      expect(
        (
          await at.post(path, ann.auth, {
            task_id: "a",
            tool_name: "read_files",
            args: { path: "x" },
          })
        ).body,
      ).toMatchObject({ code: "token_superseded" });
    expect(await move(ann.auth)).toMatchObject(problemOf(403, "token_superseded"));
    expect(await at.get("/state/snapshot", ann.auth)).toMatchObject({ status: 403 });
  });

  it("gets the same answer with the same token when it is repeated under its id", async () => {
    const ann = await at.agent("ann", "a");
    const first = await move(ann.auth, {}, "m1");
    const again = await move(ann.auth, {}, "m1");
    expect(again).toMatchObject({
      status: 200,
      body: {
        allowed: true,
        replayed: true,
        new_token: first.body["new_token"],
        sequence: first.body["sequence"],
      },
    });
    expect((await at.events("phase_entered")).length).toBe(2);
    await fails(move(ann.auth, { reason: "other" }, "m1"), 409, "BYLAW_REQUEST_REUSED");
    // Knowing the id of a request gives no access.
    const bob = await at.agent("bob");
    expect(await move(bob.auth, {}, "m1")).toMatchObject(problemOf(403, "token_other_task"));
  });

  it("happens once if two come at once", async () => {
    const ann = await at.agent("ann", "a");
    const answers = await Promise.all([move(ann.auth), move(ann.auth), move(ann.auth)]);
    expect(answers.filter(({ body }) => body["allowed"] === true).length).toBe(1);
    expect((await at.events("phase_entered")).length).toBe(2);
  });

  it("that the contract lacks is a bad request, and a wrong current phase is refused", async () => {
    const ann = await at.agent("ann", "a");
    await fails(move(ann.auth, { target_phase: "NOWHERE" }), 400, "phase_target_unknown");
    await fails(move(ann.auth, { target_phase: "@completed" }), 400, "phase_not_last");
    await fails(move(ann.auth, { current_phase: "WORK" }), 403, "token_other_phase");
    expect(await move(ann.auth, { artifacts: [] })).toMatchObject({ status: 400 });
    expect(await move(ann.auth, { phase: "WORK" })).toMatchObject({ status: 400 });
  });

  it("to the end completes the task, and frees the tasks that depend on it", async () => {
    await at.post("/tasks", asOperator, { tasks: [{ id: "a" }, { id: "b", dependencies: ["a"] }] });
    const ann = await at.agent("ann", "a");
    const { body } = await move(ann.auth);
    const work = `Bearer ${String(body["new_token"])}`;
    const done = await move(work, { target_phase: "@completed", artifacts: {} }, "end");
    expect(done.body).toMatchObject({ allowed: true, new_token: null, phase: "@completed" });
    expect(
      (await move(work, { target_phase: "@completed", artifacts: {} }, "end")).body,
    ).toMatchObject({ allowed: true, replayed: true, new_token: null });
    expect((await at.get("/tasks/a", asOperator)).body).toMatchObject({ status: "completed" });
    expect((await claim("bob")).body).toMatchObject({ task: { id: "b" } });
    expect(
      await at.post("/tools/execute", work, {
        task_id: "a",
        tool_name: "read_files",
        args: { path: "x" },
      }),
    ).toMatchObject({ status: 403 });
  });
});
