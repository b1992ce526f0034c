import { createKernel } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { describeExamples } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { examples } from "../examples.ts";
import { trigger } from "../src/index.ts";

describeExamples(examples, { describe, it });

const agents = ["a", "b", "c", "d"];
const begin = async (options: object = {}, store = createMemoryStore()) => {
  const run = await openRun(createKernel({ plugins: [trigger({ agents, ...options })] }), {
    run: "triggers",
    store,
  });
  const call = async (agent: string, trigger_agent_id: string) =>
    (await run.behave({ action: "trigger", agent, trigger_agent_id })).decision;
  const back = (agent: string) =>
    run.record([
      {
        event_type: "agent_returned",
        agent_id: agent,
        task_id: null,
        details: { agent, ok: true },
      },
    ]);
  return { run, call, back, store };
};

describe("trigger", () => {
  it("lets no agents wait in a circle, by the log", async () => {
    const { call, back, run, store } = await begin();
    expect((await call("a", "b")).directive).toEqual({
      action: "trigger",
      agent: "b",
      by: "a",
      step: null,
      depth: 1,
    });
    expect((await call("b", "c")).directive).toMatchObject({ agent: "c", depth: 2 });
    expect(await call("c", "a")).toMatchObject({
      code: "trigger_cycle",
      reason: expect.stringContaining("`a` calls `b` calls `c` calls `a`") as string,
    });
    expect((await call("c", "b")).code).toBe("trigger_cycle");
    await run.close();
    const again = await begin({}, store);
    expect((await again.call("c", "a")).code).toBe("trigger_cycle");
    await again.back("c");
    expect((await again.call("b", "c")).effect).toBe("allow");
    // An agent that is already working is not called by a second one.
    expect((await again.call("d", "c")).code).toBe("trigger_cycle");
    expect(back).toBeDefined();
  });

  it("limits the depth", async () => {
    const { call } = await begin({ max_depth: 2 });
    expect([(await call("a", "b")).effect, (await call("b", "c")).effect]).toEqual([
      "allow",
      "allow",
    ]);
    expect((await call("c", "d")).code).toBe("trigger_depth");
  });

  it("calls an agent once, and as often as the run allows, when agents of several tasks ask at once", async () => {
    const { run } = await begin({ max_triggers: 2 });
    const asked = ["b", "b", "c", "d"].map((trigger_agent_id, at) =>
      run.behave({ action: "trigger", agent: `x${at}`, task: `T${at}`, trigger_agent_id }),
    );
    const codes = (await Promise.all(asked)).map(({ decision }) => decision.code);
    expect(codes).toEqual(["rule_allowed", "trigger_cycle", "rule_allowed", "trigger_limit"]);
  });

  it("goes no deeper for an agent without a name", async () => {
    const { run, call } = await begin({ max_depth: 1 });
    await call("a", "b");
    const nobody = async () =>
      (await run.behave({ action: "trigger", trigger_agent_id: "c" })).decision.code;
    expect(await nobody()).toBe("trigger_depth");
  });

  it("limits the calls of a run, whoever returned", async () => {
    const { call, back } = await begin({ max_triggers: 2 });
    for (let round = 0; round < 2; round += 1) {
      expect((await call("a", "b")).effect).toBe("allow");
      await back("b");
    }
    expect((await call("a", "b")).code).toBe("trigger_limit");
  });

  it("refuses a return by an agent that was not called, or a second one", async () => {
    const { call, back } = await begin();
    await expect(back("b")).rejects.toFailWith("BYLAW_EVENT_REFUSED");
    await call("a", "b");
    await back("b");
    await expect(back("b")).rejects.toFailWith("BYLAW_EVENT_REFUSED");
  });

  it("does not load with a step that calls an unknown agent", () => {
    expect(() => trigger({ agents, steps: { check: "z" } })).toFailWith("BYLAW_OPTIONS_INVALID");
    expect(() => trigger({ agents: ["a", "a"] })).toFailWith("BYLAW_OPTIONS_INVALID");
  });
});
