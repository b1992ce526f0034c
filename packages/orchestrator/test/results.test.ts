import { dirname } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "@bylaw/kernel";
import { serve, type Agent, type Served, problemOf, fails } from "./kit.ts";

let at: Served;
let ann: Agent;
let bob: Agent;
let pairs = 0;
beforeAll(async () => {
  at = await serve();
});
beforeEach(async () => {
  pairs += 1;
  [ann, bob] = [await at.agent(`ann-${pairs}`), await at.agent(`bob-${pairs}`)];
});
afterAll(() => at.close());

const check = async ({ auth, task }: Agent, tool_name = "note"): Promise<JsonObject> =>
  (await at.post("/tools/check", auth, { task_id: task, tool_name, args: { path: "x" } })).body;
const report = ({ auth, task }: Agent, id: unknown, { tool = "note", ok = true, key = "" } = {}) =>
  at.post(
    "/tools/result",
    auth,
    { task_id: task, id, tool_name: tool, ok },
    key === "" ? {} : { "idempotency-key": key },
  );
/** The results on record for the tasks of this test. */
const results = async () =>
  (await at.events("tool_result"))
    .filter(({ task_id }) => task_id === ann.task || task_id === bob.task)
    .map(({ agent_id, details }) => [agent_id, details["tool"], details["ok"]]);
const REFUSED = problemOf(409, "BYLAW_EVENT_REFUSED");

describe("the result of a call", () => {
  it("is accepted once, from the allowed agent and for the allowed tool", async () => {
    const { id } = await check(ann);
    expect(await report(bob, id)).toMatchObject(REFUSED);
    expect(await report(ann, id, { tool: "read_files" })).toMatchObject(REFUSED);
    expect(await report(ann, id, { ok: false })).toMatchObject({ status: 200 });
    expect(await report(ann, id)).toMatchObject(REFUSED);
    expect(await results()).toEqual([[`ann-${pairs}`, "note", false]]);
  });

  it("is not accepted for a call that was never made or was denied", async () => {
    expect(await report(ann, "call-never-made")).toMatchObject(REFUSED);
    const denied = await check(ann, "write_files");
    expect(denied).toMatchObject({ allowed: false });
    expect(await report(ann, denied["id"], { tool: "write_files" })).toMatchObject(REFUSED);
    expect(await results()).toEqual([]);
  });

  it("is accepted in the next phase, and after the log was opened again", async () => {
    const { id } = await check(ann);
    const moved = await at.post("/tasks/transition", ann.auth, {
      task_id: ann.task,
      target_phase: "WORK",
      artifacts: { plan: { title: "x" } },
    });
    const other = await serve({ store: at.store }, dirname(at.workspace));
    const answer = await other.post("/tools/result", `Bearer ${String(moved.body["new_token"])}`, {
      task_id: ann.task,
      id,
      tool_name: "note",
      ok: true,
    });
    expect(answer).toMatchObject({ status: 200 });
    await other.close();
  });

  it("is not accepted after the task was given back", async () => {
    const { id } = await check(ann);
    await at.post("/tasks/release", ann.auth, { task_id: ann.task });
    const again = await at.agent(`ann-${pairs}`);
    expect(await report(again, id)).toMatchObject(REFUSED);
  });

  it("is accepted for a limited number of unreported calls, the newest ones", async () => {
    const ids: unknown[] = [];
    for (let left = 145; left > 0; left -= 1) ids.push((await check(ann))["id"]);
    expect(await report(ann, ids[0])).toMatchObject(REFUSED);
    expect(await report(ann, ids[16])).toMatchObject({ status: 200 });
    expect(await report(ann, ids[16])).toMatchObject(REFUSED);
    expect(await report(ann, ids[144])).toMatchObject({ status: 200 });
  });

  it("is recorded once under its request id, even if two come at once", async () => {
    const { id } = await check(ann);
    const answers = await Promise.all([
      report(ann, id, { key: "k" }),
      report(ann, id, { key: "k" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await report(ann, id, { key: "k" })).body).toEqual({ logged: true });
    await fails(report(ann, id, { key: "k", ok: false }), 409, "BYLAW_REQUEST_REUSED");
    expect(await results()).toEqual([[`ann-${pairs}`, "note", true]]);
  });
});
