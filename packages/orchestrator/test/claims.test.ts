import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentEnrolment } from "../src/index.ts";
import { ENROL, asNewcomer, asOperator, serve, type Agent, type Served, problemOf } from "./kit.ts";

let at: Served;

beforeEach(async () => {
  at = await serve();
});
afterEach(() => at.close());

const claim = (authorization: string, agent_id: string, more: object = {}) =>
  at.post("/tasks/claim", authorization, { agent_id, ...more });
const beat = (auth: string, task: string) => at.post("/tasks/heartbeat", auth, { task_id: task });
const move = (auth: string, task: string) =>
  at.post("/tasks/transition", auth, {
    task_id: task,
    target_phase: "WORK",
    artifacts: { plan: { title: "x" } },
  });
const bearer = (token: unknown): string => `Bearer ${String(token)}`;

/** Keeps a task until the first token of its claim has expired, after more than an hour. */
async function outlive({ auth, task }: Agent): Promise<string> {
  let newest = auth;
  for (let left = 20; left > 0; left -= 1) {
    at.pass(200_000);
    newest = bearer((await beat(newest, task)).body["phase_token"]);
  }
  return newest;
}

async function expectRefused(
  authorization: string,
  code: string,
  more: object = {},
): Promise<void> {
  const before = (await at.events("access_refused")).length;
  expect(await claim(authorization, "ann", more)).toMatchObject({ status: 403, body: { code } });
  expect((await at.events("access_refused")).slice(before)).toMatchObject([
    {
      agent_id: "ann",
      details: { code, status: 403, route: "/tasks/claim", credential: "agent", agent: "ann" },
    },
  ]);
}

describe("a claim with a token", () => {
  it("returns the claim of the token, even if the answer to a transition was lost", async () => {
    const ann = await at.agent("ann", "a");
    expect((await claim(ann.auth, "ann")).body).toMatchObject({
      phase_token: ann.token,
      task: { id: "a", fence: 1 },
    });
    const moved = await move(ann.auth, "a");
    expect((await claim(ann.auth, "ann", { task_id: "a" })).body).toMatchObject({
      phase_token: moved.body["new_token"],
      phase: "WORK",
      task: { id: "a", fence: 1 },
    });
    expect((await at.events("task_claimed")).length).toBe(1);
  });

  it("returns no other task, named or not", async () => {
    await at.post("/tasks", asOperator, { id: "b" });
    const ann = await at.agent("ann", "a");
    await expectRefused(ann.auth, "token_other_task", { task_id: "b" });
    expect((await claim(ann.auth, "ann")).body).toMatchObject({ task: { id: "a" } });
    expect((await at.events("task_claimed")).map(({ task_id }) => task_id)).toEqual(["a"]);
  });

  it("is refused after the token has expired, whoever holds the task now", async () => {
    const ann = await at.agent("ann", "a");
    const newest = await outlive(ann);
    await expectRefused(ann.auth, "token_expired", { task_id: "a" });
    await expectRefused(ann.auth, "token_expired");
    // With its enrolment, the agent continues where it was.
    const { body } = await claim(asNewcomer, "ann", { task_id: "a" });
    expect(bearer(body["phase_token"])).toBe(newest);
  });

  it("is refused after the task was claimed again, even by the same agent", async () => {
    const ann = await at.agent("ann", "a");
    await at.post("/tasks/release", ann.auth, { task_id: "a" });
    expect((await claim(asNewcomer, "ann", { task_id: "a" })).body).toMatchObject({
      task: { fence: 2 },
    });
    await expectRefused(ann.auth, "token_superseded", { task_id: "a" });
    const taken = await at.agent("ann", "b");
    await at.post("/tasks/release", taken.auth, { task_id: "b" });
    await claim(asNewcomer, "bob", { task_id: "b" });
    await expectRefused(taken.auth, "token_superseded", { task_id: "b" });
  });

  it.each(["release", "fail"])("is refused after %s", async (end) => {
    const ann = await at.agent("ann", "a");
    expect((await at.post(`/tasks/${end}`, ann.auth, { task_id: "a", reason: "x" })).status).toBe(
      200,
    );
    await expectRefused(ann.auth, "token_superseded", { task_id: "a" });
    expect((await at.get("/tasks/a", asOperator)).body["status"]).toBe(
      end === "fail" ? "failed" : "ready",
    );
  });

  it("is refused after the lease has ended, even before that is recorded", async () => {
    const ann = await at.agent("ann", "a");
    at.pass(301_000);
    await expectRefused(ann.auth, "token_superseded", { task_id: "a" });
    at.pass(61_000);
    await expectRefused(ann.auth, "token_superseded");
    expect((await claim(asNewcomer, "ann", { task_id: "a" })).body).toMatchObject({
      task: { id: "a", fence: 3 },
    });
  });

  it("is refused after the task is completed", async () => {
    const ann = await at.agent("ann", "a");
    const work = bearer((await move(ann.auth, "a")).body["new_token"]);
    await at.post("/tasks/transition", work, {
      task_id: "a",
      target_phase: "@completed",
      artifacts: {},
    });
    await expectRefused(work, "token_superseded", { task_id: "a" });
  });

  it("is refused after the token was revoked, even after its agent enrolled again", async () => {
    const ann = await at.agent("ann", "a");
    await at.service.run.record([
      {
        event_type: "token_revoked",
        agent_id: null,
        task_id: "a",
        details: { reason: "it was in a log" },
      },
    ]);
    await expectRefused(ann.auth, "token_superseded", { task_id: "a" });
    const { body } = await claim(asNewcomer, "ann", { task_id: "a" });
    expect(body["phase_token"]).not.toBe(ann.token);
    await expectRefused(ann.auth, "token_superseded", { task_id: "a" });
    expect((await claim(bearer(body["phase_token"]), "ann")).body).toMatchObject({
      phase_token: body["phase_token"],
    });
  });
});

it("a stream of events ends when the token that opened it is revoked", async () => {
  const ann = await at.agent("ann", "a");
  const response = await at.app.request("/api/v1/events?after=0", {
    headers: { authorization: ann.auth },
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let told = "";
  const readOn = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    told += new TextDecoder().decode(value);
    return !done;
  };
  while (told.split("event: token_issued").length < 3) await readOn();
  await at.service.run.record([
    {
      event_type: "token_revoked",
      agent_id: null,
      task_id: "a",
      details: { reason: "it was in a log" },
    },
  ]);
  await claim(asNewcomer, "ann", { task_id: "a" });
  while (await readOn());
  expect(told.split("event: token_issued").length).toBe(3);
});

describe("a claim in the name of an operator", () => {
  const operatorsFile = () => join(at.workspace, "..", "data", "operators.json");
  const listed = (...names: readonly string[]) =>
    JSON.stringify({
      operators: names.map((name, index) => ({
        name,
        token: `sha256:${String(index).repeat(64)}`,
      })),
    });

  async function expectRefused(authorization: string, name: string): Promise<void> {
    const before = (await at.events()).length;
    expect([name, await claim(authorization, name)]).toMatchObject([
      name,
      problemOf(403, "BYLAW_CREDENTIAL_UNFIT"),
    ]);
    // Recorded without a name, because the name would then count as an agent's.
    expect((await at.events()).slice(before)).toMatchObject([
      {
        event_type: "access_refused",
        agent_id: null,
        details: { code: "BYLAW_CREDENTIAL_UNFIT", route: "/tasks/claim" },
      },
    ]);
  }

  it("is refused in any spelling of the name, so that the operator can still answer", async () => {
    for (const name of ["operator", "Operator", "oper\u200bator", "\uff4fperator", " operator "])
      await expectRefused(asNewcomer, name);
    writeFileSync(operatorsFile(), listed("Eve", "Mary  Ann"), { mode: 0o600 });
    for (const name of ["eve", "EVE\u2060", "mary ann"]) await expectRefused(asNewcomer, name);
    expect((await claim(asNewcomer, "eve-2")).status).toBe(200);
  });

  it("is refused with a credential made for that name, whatever name is claimed", async () => {
    const made = `Bylaw-Enrol ${agentEnrolment(ENROL, "Operator")}`;
    await expectRefused(made, "Operator");
    await expectRefused(made, "ann");
  });

  it("is refused while the file of operators is broken, by its last valid names; without any, nobody can claim", async () => {
    writeFileSync(operatorsFile(), "{", { mode: 0o600 });
    expect((await claim(asNewcomer, "ann")).status).toBe(500);
    writeFileSync(operatorsFile(), listed("eve"), { mode: 0o600 });
    expect((await claim(asNewcomer, "ann")).status).toBe(200);
    writeFileSync(operatorsFile(), "{ ", { mode: 0o600 });
    await expectRefused(asNewcomer, "eve");
    expect((await claim(asNewcomer, "bob")).status).toBe(200);
    writeFileSync(operatorsFile(), listed("bob", "eve"), { mode: 0o600 });
    await expectRefused(asNewcomer, "bob");
  });
});

describe("an agent that claims repeatedly", () => {
  const idOf = (answer: Awaited<ReturnType<typeof claim>>): string =>
    (answer.body["task"] as unknown as { id: string }).id;

  it("holds no more tasks than the limit, even if claims create tasks and all come at once", async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => claim(asNewcomer, "ann")));
    expect(answers.filter(({ status }) => status === 200).length).toBe(10);
    expect(
      answers.filter(({ status, body }) => status === 409 && body["code"] === "task_too_many")
        .length,
    ).toBe(30);
    expect((await at.events("task_claimed")).length).toBe(10);
    expect((await claim(asNewcomer, "bob")).status).toBe(200);
  });

  it("leaves other tasks to other agents, gets its own again, and gets another after giving one back or completing one", async () => {
    await at.post("/tasks", asOperator, {
      tasks: Array.from({ length: 20 }, (_, index) => ({ id: `t${index}` })),
    });
    const first = await claim(asNewcomer, "ann", { request_id: "r0" });
    for (let left = 9; left > 0; left -= 1)
      expect((await claim(asNewcomer, "ann")).status).toBe(200);
    for (const more of [{}, { task_id: "t19" }, { request_id: "r1" }])
      expect(await claim(asNewcomer, "ann", more)).toMatchObject(problemOf(409, "task_too_many"));
    expect((await at.events("task_claimed")).length).toBe(10);
    expect((await claim(asNewcomer, "ann", { task_id: "t3" })).body).toMatchObject({
      task: { id: "t3" },
    });
    expect((await claim(asNewcomer, "ann", { request_id: "r0" })).body).toEqual(first.body);
    expect((await claim(asNewcomer, "bob")).body).toMatchObject({ task: { id: "t10" } });
    await at.post("/tasks/release", bearer(first.body["phase_token"]), { task_id: "t0" });
    expect(idOf(await claim(asNewcomer, "ann"))).toBe("t0");
    expect((await claim(asNewcomer, "ann")).status).toBe(409);
    const work = bearer(
      (
        await move(
          bearer((await claim(asNewcomer, "ann", { task_id: "t1" })).body["phase_token"]),
          "t1",
        )
      ).body["new_token"],
    );
    await at.post("/tasks/transition", work, {
      task_id: "t1",
      target_phase: "@completed",
      artifacts: {},
    });
    expect((await claim(asNewcomer, "ann")).status).toBe(200);
    expect((await claim(asNewcomer, "ann")).status).toBe(409);
    // Ended leases do not count.
    at.pass(301_000);
    await at.service.tasks.recover();
    at.pass(61_000);
    expect((await claim(asNewcomer, "ann")).status).toBe(200);
  });

  it("gets the task again that it created and gave back, whatever its capabilities", async () => {
    for (let count = 0; count < 5; count += 1) {
      const { body } = await claim(asNewcomer, "ann", { capabilities: [`skill-${count}`] });
      await at.post("/tasks/release", bearer(body["phase_token"]), {
        task_id: (body["task"] as unknown as { id: string }).id,
      });
    }
    expect((await at.events("task_created")).length).toBe(1);
    expect((await claim(asNewcomer, "bob")).body).toMatchObject({
      task: { capabilities: [], fence: 6 },
    });
  });

  it("has a limited number of waiting claims, which does not keep others from waiting", async () => {
    await at.post("/tasks", asOperator, { tasks: [{ id: "a" }] });
    await claim(asNewcomer, "eve");
    const waiting = Array.from({ length: 17 }, () => claim(asNewcomer, "ann", { wait_ms: 20_000 }));
    expect((await Promise.race(waiting)).status).toBe(404);
    const other = claim(asNewcomer, "bob", { wait_ms: 20_000 });
    await at.post("/tasks", asOperator, {
      tasks: Array.from({ length: 17 }, (_, index) => ({ id: `t${index}` })),
    });
    expect((await other).status).toBe(200);
    const answers = await Promise.all(waiting);
    expect(
      [200, 404, 409].map((wanted) => answers.filter(({ status }) => status === wanted).length),
    ).toEqual([10, 1, 6]);
  });

  it("may hold any number if the setting says so", async () => {
    const free = await serve({ settings: { tasks: { per_agent: 0 } } });
    for (let left = 15; left > 0; left -= 1)
      expect((await free.post("/tasks/claim", asNewcomer, { agent_id: "ann" })).status).toBe(200);
    await free.close();
  });
});
