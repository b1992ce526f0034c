import { describe, expect, it } from "vitest";
import { allow, defineProjection, deny } from "@bylaw/kernel";
import { pluginOf } from "@bylaw/testing";
import { createMemoryStore } from "../src/index.ts";
import { voter } from "./kit.ts";
import {
  open,
  logOf,
  typesOf,
  tool,
  counter,
  counts,
  noted,
  note,
  takeOver,
  upTo,
  allowing,
  permissive,
} from "./run-kit.ts";

describe("the phase", () => {
  const onlyInPlan = voter(
    "phases",
    "beforeToolCall",
    ({ phase }) =>
      phase === "PLAN" ? allow("planning") : deny(`Unexpected phase ${String(phase)}`),
    { grants: true },
  );

  it("comes from the log, whatever the caller claims", async () => {
    const run = await open({ plugins: [onlyInPlan, ...allowing("onTransition")] });
    const claim = tool({ task: "T1", phase: "PLAN" });
    expect((await run.toolCall(claim)).applied).toBe("deny");
    await run.transition({ task: "T1", to: "PLAN", artifacts: {} });
    expect((await run.toolCall(tool({ task: "T1", phase: "DONE" }))).applied).toBe("allow");
    expect((await run.toolCall(tool({ task: "T2", phase: "PLAN" }))).applied).toBe("deny");
    expect((await run.toolCall(tool({ phase: "PLAN" }))).applied).toBe("deny");
  });

  it("that a transition leaves also comes from the log", async () => {
    const seen: unknown[] = [];
    const spy = voter(
      "spy",
      "onTransition",
      (subject) => {
        if (subject.hook === "onTransition") seen.push([subject.from, subject.phase]);
        return allow("fine");
      },
      { grants: true },
    );
    const run = await open({ plugins: [spy] });
    await run.transition({ task: "T1", from: "DONE", phase: "DONE", to: "PLAN", artifacts: {} });
    const { events } = await run.transition({
      task: "T1",
      from: "DONE",
      to: "REVIEW",
      artifacts: {},
    });
    expect(seen).toEqual([
      [undefined, undefined],
      ["PLAN", "PLAN"],
    ]);
    expect(events[0]?.details).toMatchObject({ from: "PLAN", to: "REVIEW" });
  });

  it("does not change when a transition is blocked", async () => {
    const toPlan = voter(
      "gate",
      "onTransition",
      (subject) =>
        subject.hook === "onTransition" && subject.to === "PLAN" ? allow("fine") : deny("not yet"),
      { grants: true },
    );
    const run = await open({ plugins: [onlyInPlan, toPlan] });
    await run.transition({ task: "T1", to: "PLAN", artifacts: {} });
    expect((await run.transition({ task: "T1", to: "DONE", artifacts: {} })).applied).toBe("deny");
    expect((await run.toolCall(tool({ task: "T1" }))).applied).toBe("allow");
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
    "works for a task named %s",
    async (task) => {
      const run = await open({ plugins: [onlyInPlan, ...allowing("onTransition")] });
      expect((await run.toolCall(tool({ task }))).decision).toMatchObject({ code: "rule_denied" });
      expect((await run.transition({ task, to: "PLAN", artifacts: {} })).applied).toBe("allow");
      expect((await run.toolCall(tool({ task }))).applied).toBe("allow");
      expect((await run.toolCall(tool({ task: "T1" }))).applied).toBe("deny");
    },
  );

  it("that another run object entered counts before this one has read it", async () => {
    const store = createMemoryStore();
    const config = { plugins: [onlyInPlan, ...allowing("onTransition")] };
    const [here, there] = [await open(config, { store }), await open(config, { store })];
    await here.transition({ task: "T1", to: "PLAN", artifacts: {} });
    expect((await here.toolCall(tool({ task: "T1" }))).applied).toBe("allow");
    await there.transition({ task: "T1", to: "DONE", artifacts: {} });
    expect((await here.toolCall(tool({ task: "T1" }))).applied).toBe("deny");
  });
});

describe("resuming", () => {
  it("gives the same state, byte for byte, in a new session that continues the sequence", async () => {
    const store = createMemoryStore();
    const config = { plugins: [counts, noted, ...permissive] };
    const first = await open(config, { store });
    await first.toolCall(tool());
    await first.transition({ task: "T1", to: "PLAN", artifacts: {} });
    await first.behave({ action: "loop" });
    await first.respond({ text: "done" });
    await first.record([note("one"), note("two")]);
    const joined = await open(config, { store });
    expect(joined.session).toBe(first.session);
    expect(joined.head).toBe(first.head);
    expect(JSON.stringify(joined.view(counter))).toBe(JSON.stringify(first.view(counter)));
    const counted = {
      session_start: 1,
      tool_allowed: 1,
      phase_entered: 1,
      behavior_applied: 1,
      response_accepted: 1,
      note: 2,
    };
    expect(joined.view(counter)).toEqual(counted);
    const second = await takeOver(config, { store });
    expect(second.session).not.toBe(first.session);
    expect(second.head).toBe(first.head + 1);
    expect(JSON.stringify(second.view(counter))).toBe(
      JSON.stringify({ ...counted, session_resumed: 1 }),
    );
    const { events } = await second.toolCall(tool());
    expect(events).toMatchObject([{ sequence: 9, session_id: second.session }]);
  });

  it("includes what other run objects wrote, each event once and in order", async () => {
    const store = createMemoryStore();
    const order = defineProjection<readonly number[]>({
      name: "demo/order",
      version: 1,
      initial: [],
      reduce: (state, { sequence }) => [...state, sequence],
    });
    const config = { plugins: [noted, pluginOf("order", (kernel) => kernel.projection(order))] };
    const runs = await Promise.all([1, 2, 3].map(() => open(config, { store })));
    await Promise.all(
      runs.flatMap((run) => Array.from({ length: 20 }, () => run.record([note(), note()]))),
    );
    for (const run of runs) {
      await run.record([note()]);
      expect(run.view(order)).toEqual(upTo(run.head));
    }
    expect((await logOf(store)).map(({ sequence }) => sequence)).toEqual(upTo(124));
  });
});

describe("a projection", () => {
  it("that cannot reduce an event keeps it out of the log", async () => {
    const fragile = defineProjection<number>({
      name: "demo/fragile",
      version: 1,
      initial: 0,
      reduce(state, { details }) {
        if (details["tool"] === "poison") throw new Error("cannot fold");
        return state + 1;
      },
    });
    const store = createMemoryStore();
    const config = {
      plugins: [pluginOf("fragile", (kernel) => kernel.projection(fragile)), ...permissive],
    };
    const run = await open(config, { store });
    expect((await run.toolCall(tool({ tool: "poison" }))).applied).toBe("deny");
    expect(await typesOf(store)).not.toContain("tool_allowed");
    // The run still works afterwards.
    expect((await run.toolCall(tool())).applied).toBe("allow");
    await expect(open(config, { store })).resolves.toBeDefined();
  });

  it("cannot be changed by its readers, and is not shared between runs", async () => {
    const first = await open({ plugins: [counts, ...permissive] });
    const second = await open({ plugins: [counts, ...permissive] });
    await first.toolCall(tool());
    expect(first.view(counter)).toEqual({ session_start: 1, tool_allowed: 1 });
    expect(second.view(counter)).toEqual({ session_start: 1 });
    expect(counter.initial).toEqual({});
  });
});
