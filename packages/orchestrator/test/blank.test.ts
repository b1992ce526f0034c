import { afterAll, beforeAll, expect, it } from "vitest";
import { asNewcomer, asOperator, serve, type Agent, type Served, problemOf } from "./kit.ts";

let at: Served;
let ann: Agent;
beforeAll(async () => {
  at = await serve();
  ann = await at.agent("ann");
});
afterAll(() => at.close());

const BLANK = ["", " ", "\n", "\u200b", "\u2060\ufeff", "\u3164", "\u2800", "\u{e0041}", "\u202e"];

it.each(BLANK)("invisible text is no name and no reason: %j", async (blank) => {
  const requests: readonly (readonly [path: string, authorization: string, body: object])[] = [
    ["/tasks/claim", asNewcomer, { agent_id: blank }],
    ["/tasks/claim", asNewcomer, { agent_id: "bob", task_id: blank }],
    ["/tasks", asOperator, { id: blank }],
    ["/tasks/fail", ann.auth, { task_id: ann.task, reason: blank }],
    [
      "/waivers",
      asOperator,
      {
        task_id: ann.task,
        gate: "g",
        check: "c",
        reason: blank,
        expires_at: "2026-01-03T10:00:00Z",
      },
    ],
    ["/directives/1.0", asOperator, { ok: true, agent: blank }],
  ];
  for (const [path, authorization, body] of requests)
    expect([path, await at.post(path, authorization, body)]).toMatchObject([
      path,
      problemOf(400, "BYLAW_REQUEST_INVALID"),
    ]);
  expect((await at.get(`/tasks/${ann.task}`, asOperator)).body["status"]).toBe("claimed");
});
