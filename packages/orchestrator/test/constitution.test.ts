import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asOperator, serve, type Agent, type Served, problemOf } from "./kit.ts";

let at: Served;
let ann: Agent;
let bob: Agent;

beforeEach(async () => {
  at = await serve();
  ann = await at.agent("ann");
  bob = await at.agent("bob");
});
afterEach(() => at.close());

const standstill = { rule: "Nothing is done.", check: { action: "deny", tool: "*" } };
const give = (authorization: string) => at.post("/constitution", authorization, standstill);
const read = async ({ auth, task }: Agent) =>
  (
    await at.post("/tools/check", auth, {
      task_id: task,
      tool_name: "read_files",
      args: { path: "a.ts" },
    })
  ).body["allowed"];

describe("a rule of the run", () => {
  it("of an agent applies to that agent, and to no other", async () => {
    expect((await give(ann.auth)).status).toBe(200);
    expect([await read(ann), await read(bob)]).toEqual([false, true]);
    const rules = async (authorization: string) =>
      (await at.get("/constitution", authorization)).body["rules"];
    for (const who of [ann.auth, asOperator])
      expect(await rules(who)).toMatchObject([{ author: "agent", by: "ann" }]);
    // Bob must not get the words of Ann's rules.
    expect(await rules(bob.auth)).toEqual([]);
    const textsOf = ({ body }: Awaited<ReturnType<typeof at.ask>>): readonly unknown[] =>
      (body["rules"] as unknown as readonly { readonly rule: unknown }[]).map(({ rule }) => rule);
    expect([
      textsOf(await at.post("/constitution", bob.auth, { ...standstill, rule: "Bob rests." })),
      textsOf(
        await at.ask("PUT", "/constitution", bob.auth, {
          rules: [{ ...standstill, rule: "Bob sleeps." }],
        }),
      ),
      textsOf(await at.ask("DELETE", "/constitution", bob.auth)),
    ]).toEqual([["Bob rests."], ["Bob sleeps."], []]);
    expect(await rules(asOperator)).toMatchObject([{ by: "ann" }]);
  });

  it("of an agent can be removed by no other", async () => {
    const texts = async () =>
      (await at.get("/constitution", asOperator)).body["rules"] as unknown as {
        rule: string;
        by: string;
      }[];
    await give(ann.auth);
    await at.post("/constitution", bob.auth, { rule: "Bob is kind." });
    await at.ask("PUT", "/constitution", bob.auth, { rules: [{ rule: "Bob is quick." }] });
    expect((await texts()).map(({ rule }) => rule)).toEqual([standstill.rule, "Bob is quick."]);
    await at.ask("DELETE", "/constitution", bob.auth);
    expect((await texts()).map(({ by }) => by)).toEqual(["ann"]);
    for (let count = 0; count < 55; count += 1)
      await at.post("/constitution", bob.auth, { rule: `Rule ${count}` });
    expect((await texts()).map(({ by }) => by)).toEqual([
      "ann",
      ...Array.from({ length: 49 }, () => "bob"),
    ]);
    expect((await texts()).at(-1)).toMatchObject({ rule: "Rule 54" });
    await at.ask("DELETE", "/constitution", ann.auth);
    expect((await texts()).length).toBe(49);
    await at.ask("DELETE", "/constitution", asOperator);
    expect(await texts()).toEqual([]);
  });

  it("of an operator applies to all", async () => {
    expect((await give(asOperator)).status).toBe(200);
    expect([await read(ann), await read(bob)]).toEqual([false, false]);
  });

  it.each(["release", "fail"])("cannot be added by an agent after %s", async (end) => {
    await at.post(`/tasks/${end}`, ann.auth, { task_id: ann.task, reason: "x" });
    for (const [method, path, body] of [
      ["POST", "/constitution", standstill],
      ["PUT", "/constitution", { rules: [standstill] }],
      ["DELETE", "/constitution"],
      ["GET", "/constitution"],
      ["GET", "/state/snapshot"],
      ["GET", "/approvals"],
      ["GET", "/events"],
      ["GET", "/tools"],
      ["GET", "/directives"],
    ] as const)
      expect([method, path, await at.ask(method, path, ann.auth, body)]).toMatchObject([
        method,
        path,
        problemOf(403, "token_superseded"),
      ]);
    expect((await at.get("/constitution", asOperator)).body).toEqual({ rules: [] });
  });

  it("cannot be added by an agent whose lease has ended", async () => {
    at.pass(301_000);
    await at.service.tasks.recover();
    expect(await give(ann.auth)).toMatchObject(problemOf(403, "token_superseded"));
  });
});
