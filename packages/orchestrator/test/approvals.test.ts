import { createMemoryStore } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  eventsOf,
  planOf,
  serve,
  type Agent,
  type Answer,
  type Asker,
  type Served,
} from "./operate-kit.ts";

let served: Served;
let ann: Agent;
beforeAll(async () => {
  served = await serve();
  ann = await served.claim("ann");
  served.hire();
});
afterAll(() => served.close());

interface Listed {
  readonly id: string;
  readonly kind: string;
  readonly task: string;
  readonly [field: string]: unknown;
}

async function open(by: Asker): Promise<readonly Listed[]> {
  const { status, body } = await by.get("/approvals");
  expect(status).toBe(200);
  return (body as unknown as { approvals: readonly Listed[] }).approvals;
}

async function onlyOf(by: Asker, task: string): Promise<Listed> {
  const [first, ...more] = (await open(by)).filter((one) => one.task === task);
  expect(more).toEqual([]);
  if (first === undefined) throw new Error("There is no open question");
  return first;
}

const answer = (by: Asker, id: string, said: object): Promise<Answer> =>
  by.send("POST", `/approvals/${id}`, said);
const refused = ({ status, body }: Answer): unknown => [status, body["code"]];

describe("a gate", () => {
  test("is listed with its artifacts, answered in a role, and then allows the next request", async () => {
    const agent = await served.claim("gate-1");
    expect((await agent.move("BUILD", planOf("It greets"))).body).toMatchObject({ allowed: false });
    const question = await onlyOf(served.as("ada"), agent.task);
    expect(question).toMatchObject({
      kind: "gate",
      state: "open",
      gate: "plan_approval",
      content: planOf("It greets"),
      quorum: 1,
    });
    expect(refused(await answer(served.as("ada"), question.id, { answer: "yes" }))).toEqual([
      409,
      "BYLAW_APPROVAL_UNFIT",
    ]);
    const said = await answer(served.as("ada"), question.id, { answer: "yes", role: "lead" });
    expect([said.status, said.body]).toMatchObject([
      200,
      { recorded: true, event_type: "gate_decided", details: { by: "ada", role: "lead" } },
    ]);
    expect(await onlyOf(served.as("ada"), agent.task)).toMatchObject({ state: "approved" });
    expect((await agent.get(`/approvals/${question.id}`)).body).toMatchObject({
      state: "approved",
    });
    expect((await agent.move("BUILD", planOf("It greets"))).body).toMatchObject({ allowed: true });
    expect(await open(agent)).toEqual([]);
    expect((await agent.get(`/approvals/${question.id}`)).body).toMatchObject({
      id: question.id,
      state: "settled",
    });
  });

  test("has another id for other artifacts, and a yes to the old one does not count", async () => {
    const agent = await served.claim("gate-2");
    await agent.move("BUILD", planOf("It greets"));
    const first = await onlyOf(served.as("ada"), agent.task);
    await agent.move("BUILD", planOf("It sends the keys away"));
    const second = await onlyOf(served.as("ada"), agent.task);
    expect(second.id).not.toBe(first.id);
    expect(second["before"]).toEqual(planOf("It greets"));
    expect(
      refused(await answer(served.as("ada"), first.id, { answer: "yes", role: "lead" })),
    ).toEqual([404, "BYLAW_APPROVAL_MISSING"]);
  });

  test("accepts no answer in another's role, under an agent's name, or twice from one person", async () => {
    const agent = await served.claim("gate-3");
    await agent.move("BUILD", planOf("It greets"));
    const { id } = await onlyOf(served.as("ada"), agent.task);
    expect(refused(await answer(served.as("ci"), id, { answer: "yes", role: "human" }))).toEqual([
      403,
      "BYLAW_APPROVAL_UNAUTHORIZED",
    ]);
    // `ann` is an operator here, and also an agent of the run.
    expect(ann.task).not.toBe(agent.task);
    expect(refused(await answer(served.as("ann"), id, { answer: "yes" }))).toEqual([
      403,
      "BYLAW_APPROVAL_UNAUTHORIZED",
    ]);
    await answer(served.as("bob"), id, { answer: "yes" });
    await agent.move("BUILD", planOf("It greets"));
    await agent.move("DONE", {});
    const next = await onlyOf(served.as("ada"), agent.task);
    expect(next).toMatchObject({ gate: "build_approval", quorum: 2 });
    expect((await answer(served.as("bob"), next.id, { answer: "yes" })).status).toBe(200);
    expect(refused(await answer(served.as("bob"), next.id, { answer: "yes" }))).toEqual([
      409,
      "BYLAW_EVENT_REFUSED",
    ]);
    expect(await onlyOf(served.as("ada"), agent.task)).toMatchObject({
      state: "open",
      approvals: [{ by: "bob" }],
    });
  });

  test("needs a reason for a no, and the waiting agent gets it", async () => {
    const agent = await served.claim("gate-4");
    await agent.move("BUILD", planOf("It greets"));
    const { id } = await onlyOf(served.as("ada"), agent.task);
    for (const why of [{}, { reason: " " }, { reason: "\u200b\u3164" }])
      expect(refused(await answer(served.as("bob"), id, { answer: "no", ...why }))).toEqual([
        409,
        "BYLAW_APPROVAL_UNFIT",
      ]);
    const waiting = agent.get(`/approvals/${id}?wait_ms=30000`);
    expect(
      (await answer(served.as("bob"), id, { answer: "no", reason: "Say how it greets" })).status,
    ).toBe(200);
    expect((await waiting).body).toMatchObject({
      id,
      kind: "gate",
      state: "rejected",
      by: "bob",
      reason: "Say how it greets",
    });
  });

  test("can have its checks waived for a while, including one that blocks it", async () => {
    const agent = await served.claim("gate-5");
    const bare = { plan_document: { acceptance_criteria: [] } };
    await agent.move("BUILD", bare);
    expect((await open(served.as("ada"))).filter(({ task }) => task === agent.task)).toEqual([]);
    const reason =
      "The criteria of this task are in the ticket that everybody works from, number 1234.";
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const waiver = {
      task_id: agent.task,
      gate: "plan_approval",
      check: "plan_has_acceptance_criteria",
      role: "lead",
      reason,
      expires_at,
    };
    expect(
      (await served.as("ada").send("POST", "/waivers", { ...waiver, reason: "no" })).status,
    ).toBe(409);
    expect((await served.as("ada").send("POST", "/waivers", waiver)).body).toMatchObject({
      event_type: "check_waived",
    });
    await agent.move("BUILD", bare);
    expect(await onlyOf(served.as("ada"), agent.task)).toMatchObject({ gate: "plan_approval" });
  });
});

describe("a tool call", () => {
  test("waits for a yes, is then allowed once, and shows that state", async () => {
    const agent = await served.claim("call-1");
    const args = { url: "https://example.com" };
    expect((await agent.check("web_fetch", args)).body).toMatchObject({ effect: "ask_user" });
    const { id, kind } = await onlyOf(served.as("ada"), agent.task);
    expect(kind).toBe("call");
    const waiting = agent.get(`/approvals/${id}?wait_ms=30000`);
    expect((await answer(served.as("ci"), id, { answer: "yes" })).body).toMatchObject({
      event_type: "approval_granted",
    });
    expect((await waiting).body).toMatchObject({ id, state: "approved", by: "ci" });
    expect((await agent.check("web_fetch", args)).body).toMatchObject({
      effect: "allow",
      code: "approved",
    });
    expect((await agent.get(`/approvals/${id}`)).body).toMatchObject({ state: "used" });
    expect((await agent.check("web_fetch", args)).body).toMatchObject({ effect: "ask_user" });
    expect((await onlyOf(served.as("ada"), agent.task)).id).not.toBe(id);
  });

  test("is refused by a no, which closes the question until the call is asked about again", async () => {
    const agent = await served.claim("call-2");
    const args = { url: "https://example.org" };
    await agent.check("web_fetch", args);
    const { id } = await onlyOf(served.as("ada"), agent.task);
    expect(
      (await answer(served.as("ada"), id, { answer: "no", reason: "Not this host" })).body,
    ).toMatchObject({ event_type: "approval_refused" });
    expect((await agent.get(`/approvals/${id}`)).body).toMatchObject({
      state: "rejected",
      by: "ada",
      reason: "Not this host",
    });
    expect(refused(await answer(served.as("ada"), id, { answer: "yes" }))).toEqual([
      404,
      "BYLAW_APPROVAL_MISSING",
    ]);
    expect(await open(agent)).toEqual([]);
    await agent.check("web_fetch", args);
    expect((await onlyOf(served.as("ada"), agent.task)).id).not.toBe(id);
    expect((await agent.get(`/approvals/${id}`)).body).toMatchObject({ state: "rejected" });
  });

  test("is answered once if a yes and a no come at the same moment", async () => {
    const agent = await served.claim("call-6");
    for (let times = 0; times < 5; times += 1) {
      const args = { url: `https://example.com/${times}` };
      await agent.check("web_fetch", args);
      const { id } = await onlyOf(served.as("ada"), agent.task);
      const both = await Promise.all([
        answer(served.as("ada"), id, { answer: "yes" }),
        answer(served.as("bob"), id, { answer: "no", reason: "Not there" }),
      ]);
      expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
      const yes = both[0].status === 200;
      expect((await agent.get(`/approvals/${id}`)).body["state"]).toBe(
        yes ? "approved" : "rejected",
      );
      expect((await agent.check("web_fetch", args)).body["effect"]).toBe(
        yes ? "allow" : "ask_user",
      );
      for (const { id: left } of await open(agent))
        await answer(served.as("bob"), left, { answer: "no", reason: "Not there" });
    }
  });

  test("that is a question returns what the person says", async () => {
    const agent = await served.claim("call-4");
    const asked = {
      task_id: agent.task,
      tool_name: "ask_user_question",
      args: { question: "Which store?", options: ["SQLite", "PostgreSQL"] },
    };
    const first = await agent.send("POST", "/tools/execute", asked);
    expect([first.status, first.body["status"]]).toEqual([202, "pending"]);
    const id = String(first.body["approval_id"]);
    expect((await onlyOf(served.as("ada"), agent.task)).id).toBe(id);
    expect(
      (await answer(served.as("ada"), id, { answer: "yes", reason: "PostgreSQL" })).status,
    ).toBe(200);
    const again = await agent.send("POST", "/tools/execute", asked);
    expect([again.status, again.body["result"]]).toEqual([200, { answer: "PostgreSQL" }]);
    const [said] = (await eventsOf(served)).filter(
      ({ event_type }) => event_type === "question_answered",
    );
    expect(said).toMatchObject({
      task_id: agent.task,
      details: { question: id, by: "ada", answer: "PostgreSQL" },
    });
  });

  test("accepts no reason with a yes, because nobody would read it", async () => {
    const agent = await served.claim("call-5");
    await agent.check("web_fetch", { url: "https://example.com/words" });
    const { id } = await onlyOf(served.as("ada"), agent.task);
    expect(
      refused(await answer(served.as("ada"), id, { answer: "yes", reason: "but be quick" })),
    ).toEqual([409, "BYLAW_APPROVAL_UNFIT"]);
  });

  test("accepts no role, no expiry in the past, and no yes under an agent's name", async () => {
    const agent = await served.claim("call-3");
    await agent.check("web_fetch", { url: "https://example.net" });
    const { id } = await onlyOf(served.as("ada"), agent.task);
    for (const said of [
      { role: "human" },
      { expires_at: "2020-01-01T00:00:00Z" },
      { expires_at: "2100-01-01T00:00:00Z" },
    ])
      expect(refused(await answer(served.as("ada"), id, { answer: "yes", ...said }))).toEqual([
        409,
        "BYLAW_APPROVAL_UNFIT",
      ]);
    expect(refused(await answer(served.as("ann"), id, { answer: "yes" }))).toEqual([
      403,
      "BYLAW_APPROVAL_UNAUTHORIZED",
    ]);
  });
});

describe("access to questions", () => {
  test("an agent sees only its own task and cannot answer; its attempt is recorded", async () => {
    const [one, other] = [await served.claim("look-1"), await served.claim("look-2")];
    await one.check("web_fetch", { url: "https://example.com/1" });
    const { id } = await onlyOf(one, one.task);
    expect(await open(other)).toEqual([]);
    expect((await other.get(`/approvals/${id}`)).status).toBe(404);
    expect(refused(await answer(one, id, { answer: "yes" }))).toEqual([
      403,
      "BYLAW_CREDENTIAL_UNFIT",
    ]);
    expect(refused(await answer(served.nobody, id, { answer: "yes" }))).toEqual([
      401,
      "BYLAW_CREDENTIAL_MISSING",
    ]);
    const recorded = (await eventsOf(served)).filter(
      ({ event_type }) => event_type === "access_refused",
    );
    expect(
      recorded.map(({ agent_id, details }) => [agent_id, details["route"], details["status"]]),
    ).toEqual([
      ["look-1", "/approvals/{id}", 403],
      [null, "/approvals/{id}", 401],
    ]);
  });

  test("a waiting client misses no answer that comes just as it begins to wait", async () => {
    const inner = createMemoryStore();
    let meanwhile: (() => Promise<void>) | undefined;
    const store: Store = {
      ...inner,
      async events(run, after, limit) {
        // The question is still open according to the events read so far.
        const [now, rest] = limit === 1 ? [meanwhile, undefined] : [undefined, meanwhile];
        meanwhile = rest;
        await now?.();
        return inner.events(run, after, limit);
      },
    };
    const other = await serve({ store });
    const agent = await other.claim("late-1");
    await agent.check("web_fetch", { url: "https://example.com/late" });
    const { id } = await onlyOf(agent, agent.task);
    meanwhile = async () => {
      expect((await answer(other.as("ci"), id, { answer: "yes" })).status).toBe(200);
      // Another request does the same.
      await other.orchestrator.service.operations.follower.fresh();
    };
    expect((await agent.get(`/approvals/${id}?wait_ms=2000`)).body).toMatchObject({
      state: "approved",
    });
    await other.close();
  });

  test("the number of waiting requests of one caller is limited", async () => {
    const agent = await served.claim("wait-1");
    await agent.check("web_fetch", { url: "https://example.com/wait" });
    const { id } = await onlyOf(agent, agent.task);
    const waiting = Array.from({ length: 17 }, () => agent.get(`/approvals/${id}?wait_ms=30000`));
    expect(refused(await Promise.race(waiting))).toEqual([429, "BYLAW_RATE_EXCEEDED"]);
    await answer(served.as("ada"), id, { answer: "yes" });
    const states = (await Promise.all(waiting)).map(({ body }) => body["state"]);
    expect(states.filter((state) => state === "approved")).toHaveLength(16);
  });

  test("a malformed answer is refused before anything is looked up", async () => {
    const ada = served.as("ada");
    for (const said of [
      {},
      { answer: "maybe" },
      { answer: "yes", by: "bob" },
      { answer: "waive", check: "x" },
    ])
      expect(refused(await answer(ada, "0a1b2c3d4e5f6071", said))).toEqual([
        400,
        "BYLAW_REQUEST_INVALID",
      ]);
    expect((await ada.get("/approvals/..%2faudit")).status).toBe(400);
    expect((await ada.get("/approvals?token=x")).status).toBe(400);
  });

  test("questions come in pages", async () => {
    const agents = await Promise.all(["p-1", "p-2", "p-3"].map((name) => served.claim(name)));
    for (const agent of agents) await agent.check("web_fetch", { url: "https://example.com/page" });
    const seen: string[] = [];
    for (let after = ""; ;) {
      const { body } = await served.as("ada").get(`/approvals?limit=2${after}`);
      const page = body as unknown as {
        approvals: readonly Listed[];
        next?: string;
        total: number;
      };
      seen.push(...page.approvals.map(({ id }) => id));
      if (page.next === undefined) {
        expect(seen).toHaveLength(page.total);
        break;
      }
      after = `&after=${page.next}`;
    }
    expect(new Set(seen).size).toBe(seen.length);
  });

  test("a page continues after a question that was answered in the meantime, a gate or a call", async () => {
    const ada = served.as("ada");
    const [one, two] = await Promise.all(["q-1", "q-2"].map((name) => served.claim(name)));
    await one?.move("BUILD", planOf("It greets"));
    for (const url of ["https://example.com/1", "https://example.com/2"])
      await two?.check("web_fetch", { url });
    const all = await open(ada);
    const from = all.findIndex(({ task }) => task === one?.task);
    for (const at of [from, all.length - 2]) {
      const question = all[at];
      const said = {
        answer: "no",
        reason: "Not now",
        ...(question?.kind === "gate" ? { role: "lead" } : {}),
      };
      expect((await answer(ada, String(question?.id), said)).status).toBe(200);
      const { body } = await ada.get(`/approvals?limit=1&after=${question?.id}`);
      expect(
        (body as unknown as { approvals: readonly Listed[] }).approvals.map(({ id }) => id),
      ).toEqual([all[at + 1]?.id]);
    }
    expect(refused(await ada.get("/approvals?after=0a1b2c3d4e5f6071"))).toEqual([
      400,
      "BYLAW_REQUEST_INVALID",
    ]);
  });
});
