import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asNewcomer, asOperator, serve, type Served } from "./kit.ts";

let at: Served;
beforeEach(async () => {
  at = await serve();
});
afterEach(() => at.close());

const keyed = (key: string) => ({ "idempotency-key": key });

describe.each([
  ["release", {}, "ready", "task_released"],
  ["release", { reason: "elsewhere" }, "ready", "task_released"],
  ["fail", { reason: "cannot be done" }, "failed", "task_failed"],
] as const)("to %s %j", (verb, body, status, type) => {
  const end = (auth: string, key: string, more: object = {}) =>
    at.ask("POST", `/tasks/${verb}`, auth, { task_id: "a", ...body, ...more }, keyed(key));

  it("is answered the same when it is made again, and happens once", async () => {
    const ann = await at.agent("ann", "a");
    const first = await end(ann.auth, "r1");
    expect(first).toMatchObject({ status: 200, body: { task_id: "a", status } });
    expect(await end(ann.auth, "r1")).toMatchObject({ status: 200, body: first.body });
    expect(await at.events(type)).toHaveLength(1);
  });

  it("is answered the same when both come at once", async () => {
    const ann = await at.agent("ann", "a");
    const answers = await Promise.all(Array.from({ length: 5 }, () => end(ann.auth, "r1")));
    expect(answers.map((one) => [one.status, one.body])).toEqual(answers.map(() => [200, { task_id: "a", status }]));
    expect(await at.events(type)).toHaveLength(1);
  });

  it("is answered the same when somebody else has the task by then, who keeps it", async () => {
    const ann = await at.agent("ann", "a");
    const { body: first } = await end(ann.auth, "r1");
    if (verb === "fail") await at.ask("POST", "/tasks/a/retry", asOperator, {});
    const bob = await at.ask("POST", "/tasks/claim", asNewcomer, { agent_id: "bob", task_id: "a" });
    expect((await end(ann.auth, "r1")).body).toEqual(first);
    expect(await at.ask("POST", "/tasks/heartbeat", `Bearer ${String(bob.body["phase_token"])}`, { task_id: "a" })).toMatchObject({
      status: 200,
    });
  });

  it("is refused under the id of another request, and under another id", async () => {
    const ann = await at.agent("ann", "a");
    await end(ann.auth, "r1");
    expect(await end(ann.auth, "r1", { reason: "another" })).toMatchObject({ status: 409, body: { code: "BYLAW_REQUEST_REUSED" } });
    expect((await end(ann.auth, "r2")).status).toBeGreaterThanOrEqual(403);
    // The next claim of the same agent is none that was ended.
    if (verb === "fail") await at.ask("POST", "/tasks/a/retry", asOperator, {});
    const again = await at.ask("POST", "/tasks/claim", asNewcomer, { agent_id: "ann", task_id: "a" });
    expect((await end(`Bearer ${String(again.body["phase_token"])}`, "r1")).status).toBe(409);
    expect(await at.events(type)).toHaveLength(1);
  });
});

describe("a rule of the constitution", () => {
  const rule = { rule: "Nobody writes.", check: { action: "deny", tool: "write_files" } };
  const change = (auth: string, method: string, key: string, body: unknown = rule) =>
    at.ask(method, "/constitution", auth, method === "DELETE" ? undefined : body, keyed(key));

  it("is given once, by an agent and by an operator", async () => {
    const ann = await at.agent("ann", "a");
    for (const auth of [ann.auth, asOperator]) {
      const first = await change(auth, "POST", "r1");
      expect(first.status).toBe(200);
      expect(await change(auth, "POST", "r1")).toMatchObject({ status: 200, body: first.body });
      expect((await change(auth, "POST", "r1", { rule: "Another." })).body).toMatchObject({ code: "BYLAW_REQUEST_REUSED" });
    }
    expect(await at.events("constitution_updated")).toHaveLength(2);
  });

  it("is given once when both come at once", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => change(asOperator, "POST", "r1")));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await at.events("constitution_updated")).toHaveLength(1);
  });

  it("that came later is not taken away by a request that is made again", async () => {
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
