import { describe, expect, it } from "vitest";
import { waiveCheck } from "@bylaw/plugin-gates";
import {
  AGENT,
  HANDED,
  TASK,
  beginWalk,
  blockers,
  refusesAll,
  walkTo,
} from "./workflow-walk-kit.ts";

const PLAN = HANDED.plan;

it("an agent before a gate approves nothing itself, under any name or role, and nobody approves what was not shown to them (WF-119)", async () => {
  const walk = await beginWalk();
  await walkTo(walk, "PLAN");
  await expect(walk.decide("plan_approval", "paula", "approved")).rejects.toFailWith(
    "BYLAW_GATE_NOT_OPEN",
  );
  expect(blockers(await walk.move("TDD", PLAN))).toEqual(["gate_pending"]);
  for (const by of [AGENT, "Ann", " ann ", "\uff41\uff4e\uff4e", "ANN", ""]) {
    await expect(walk.decide("plan_approval", by, "approved"), by).rejects.toMatchObject({
      code: expect.stringMatching(/^BYLAW_EVENT_/) as string,
    });
  }
  for (const role of [AGENT, "review_agent", "admin", ""]) {
    await expect(
      walk.decide("plan_approval", "paula", "approved", role),
      role,
    ).rejects.toMatchObject({ code: expect.stringMatching(/^BYLAW_EVENT_/) as string });
  }
  // The agent claims that it was approved, which changes nothing.
  const says = {
    ...HANDED.plan,
    approval: { by: "paula", verdict: "approved" },
    gate_decided: { gate: "plan_approval", verdict: "approved" },
  };
  expect(blockers(await walk.move("TDD", says))).toEqual(["gate_pending"]);
  await refusesAll(walk, [
    ["decide_gate", { gate: "plan_approval", by: "paula", verdict: "approved" }],
  ]);

  // A yes covers what was shown: not another plan, and not the plan before it.
  const first = PLAN;
  const other = {
    ...HANDED.plan,
    scope_definition: { ...HANDED.plan.scope_definition, in_scope: ["**"] },
  };
  await walk.move("TDD", first);
  await walk.decide("plan_approval", "paula", "approved");
  expect(blockers(await walk.move("TDD", other))).toEqual(["gate_pending"]);
  expect(walk.phase()).toBe("PLAN");
});

it("an agent that wants a check waived waives nothing itself, and nobody waives it without a reason", async () => {
  const walk = await beginWalk();
  await walkTo(walk, "IMPL");
  const reason =
    "The suite of the vendor is down today, and the release cannot wait for it to come back.";
  const waiver = {
    task: TASK,
    gate: "tests_passing",
    check: "all_tests_pass",
    by: "paula",
    role: "human",
    reason,
    expires_at: "2999-01-01T00:00:00Z",
  };
  const refused: readonly Partial<typeof waiver>[] = [
    { by: AGENT },
    { by: " ANN" },
    { by: "" },
    { role: "agent" },
    { reason: "not needed" },
    { reason: "x".repeat(80) },
    { expires_at: "2001-01-01T00:00:00Z" },
    { check: "every_check" },
    { gate: "review_approved" },
  ];
  for (const change of refused) {
    await expect(
      waiveCheck(walk.run, { ...waiver, ...change }),
      JSON.stringify(change),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^BYLAW_EVENT_/) as string });
  }
  expect((await walk.move("REVIEW", HANDED.code)).effect).toBe("deny");
  expect(await walk.events("check_waived")).toEqual([]);
});

describe("an agent with tokens", () => {
  it("moves and works only with its last token (defects 3 and 9; WF-45, WF-46, WF-50)", async () => {
    const walk = await beginWalk();
    const claimed = walk.token();
    await walkTo(walk, "PLAN");
    const planned = walk.token();
    await walk.move("TDD", PLAN);
    await walk.decide("plan_approval", "paula", "approved");
    expect((await walk.move("TDD", PLAN)).effect).toBe("allow");
    const own = walk.token();
    for (const token of [claimed, planned])
      expect(
        blockers(await walk.use("read_files", { path: "package.json" }, { host: { token } })),
      ).toEqual(["token_superseded"]);
    const [head = "", claims = ""] = own.split(".");
    const none = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString("base64url")}.${claims}.`;
    const more = Buffer.from(
      JSON.stringify({
        ...(JSON.parse(Buffer.from(claims, "base64url").toString()) as object),
        phase: "COMPLETE",
      }),
    ).toString("base64url");
    for (const token of [
      claimed,
      planned,
      none,
      `${head}.${more}.${own.split(".")[2]}`,
      `${own}x`,
      "",
      "token",
      null,
      {},
    ]) {
      const fields = { host: { token, workspace: walk.folder } };
      expect(
        (await walk.use("read_files", { path: "package.json" }, fields)).effect,
        JSON.stringify(token),
      ).toBe("deny");
      expect((await walk.move("TDD", PLAN, fields)).effect, JSON.stringify(token)).toBe("deny");
    }
    expect(
      (await walk.use("read_files", { path: "package.json" }, { host: { workspace: walk.folder } }))
        .effect,
    ).toBe("deny");
    expect((await walk.use("read_files", { path: "package.json" }, { agent: "bob" })).effect).toBe(
      "deny",
    );
    expect((await walk.use("read_files", { path: "package.json" }, { task: "t2" })).effect).toBe(
      "deny",
    );
    expect((await walk.use("read_files", { path: "package.json" })).effect).toBe("allow");
  });

  it("gets no task that another agent holds (defect 9)", async () => {
    const walk = await beginWalk();
    expect(await walk.tasks.claim({ agent: "bob" })).toBeUndefined();
    expect(await walk.tasks.claim({ agent: "bob", task: TASK })).toBeUndefined();
    const { fence } = walk.held;
    await expect(
      walk.tasks.complete({ task: TASK, agent: "bob", fence, artifacts: HANDED.done }),
    ).resolves.toMatchObject({ applied: "deny" });
    await walkTo(walk, "PLAN");
    const ended = await walk.tasks.complete({
      task: TASK,
      agent: AGENT,
      fence,
      artifacts: HANDED.done,
      host: { token: walk.token() },
    });
    expect(ended.applied).toBe("deny");
    expect((await walk.tasks.get(TASK)).status).toBe("claimed");
  });
});
