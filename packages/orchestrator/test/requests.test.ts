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
