import { pluginOf, readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { allow, ask, deny, type Plugin } from "@bylaw/kernel";
import { StoreConflict } from "@bylaw/store";
import { ANCHOR_TYPE, createMemoryStore, digestOf, type Run, RUN_EVENTS } from "../src/index.ts";
import { forged, voter } from "./kit.ts";
import {
  NOW,
  afterOpening,
  permissive,
  open,
  logOf,
  typesOf,
  tool,
  noted,
  note,
  upTo,
  opened,
} from "./run-kit.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ENVELOPE = readCases<string>(import.meta, "envelope");

describe("a run records", () => {
  it("an event with the envelope of the log, in its order", async () => {
    const { store, run } = await opened({ plugins: permissive });
    await run.toolCall(tool({ task: "T1" }));
    const [start, event] = await logOf(store);
    for (const one of [start, event]) expect(Object.keys(one ?? {})).toEqual(ENVELOPE);
    expect(event).toMatchObject({
      timestamp: NOW,
      sequence: 2,
      session_id: run.session,
      event_type: "tool_allowed",
      agent_id: "a1",
      task_id: "T1",
      details: {
        tool: "read_file",
        args: { path: "a" },
        decision: { effect: "allow", code: "rule_allowed", applied: "allow" },
      },
    });
    expect(run.session).toMatch(UUID);
    expect(run.head).toBe(2);
  });

  it.each([
    [allow("fine"), "tool_allowed"],
    [ask("may I"), "tool_asked"],
    [deny("no"), "tool_denied"],
  ] as const)("a tool call with its outcome", async (answer, type) => {
    const run = await open({
      plugins: [voter("v", "beforeToolCall", () => answer, { grants: true })],
    });
    const { decision, applied, events } = await run.toolCall(tool());
    expect(applied).toBe(decision.effect);
    expect(events.map(({ event_type }) => event_type)).toEqual([type]);
    const { id: _, hook: __, ...written } = decision;
    const policy_digest = digestOf({ v: "1.0.0" });
    expect(events[0]?.details["decision"]).toEqual(
      JSON.parse(JSON.stringify({ ...written, policy_digest })),
    );
  });

  it("a transition, a behavior and a response with their outcomes", async () => {
    const passes = await open({ plugins: permissive });
    const refuses = await open({
      plugins: [voter("v", "onEnforcement", () => deny("Unexpected silence"))],
    });
    const types = async (run: Run): Promise<readonly unknown[]> => [
      (await run.transition({ task: "T1", to: "PLAN", artifacts: {} })).events[0]?.event_type,
      (await run.behave({ action: "loop" })).events[0]?.event_type,
      (await run.respond({ text: "done" })).events[0]?.event_type,
    ];
    expect(await types(passes)).toEqual(["phase_entered", "behavior_applied", "response_accepted"]);
    expect(await types(refuses)).toEqual([
      "transition_blocked",
      "behavior_rejected",
      "enforcement",
    ]);
  });

  it("the agent's reason beside the reason of the decision", async () => {
    const run = await open({
      plugins: [voter("v", "onBehavior", () => deny("Unexpected loop, expected progress"))],
    });
    const { events } = await run.behave({ agent: "a1", action: "loop", reason: "the tests fail" });
    expect(JSON.stringify(events[0]?.details)).toContain("the tests fail");
    expect(JSON.stringify(events[0]?.details)).toContain("Unexpected loop, expected progress");
  });

  it("tool results, and events that plugins declare", async () => {
    const { store, run } = await opened({ plugins: [noted] });
    await run.toolResult({
      id: "c1",
      tool: "read_file",
      agent: "a1",
      ok: true,
      result: { lines: 3 },
    });
    await run.record([note("one"), note("two")]);
    expect(
      (await logOf(store)).map(({ sequence, event_type, details }) => [
        sequence,
        event_type,
        details,
      ]),
    ).toEqual([
      [1, "session_start", { plan_file: null, total_tasks: 0 }],
      [2, "tool_result", { id: "c1", tool: "read_file", ok: true, result: { lines: 3 } }],
      [3, "note", { text: "one" }],
      [4, "note", { text: "two" }],
    ]);
  });

  it("nothing if the clock gives no valid time", async () => {
    const store = createMemoryStore();
    const clock = { at: NOW as unknown };
    const run = await open({ plugins: permissive }, { store, now: () => clock.at as string });
    for (const at of ["soon", "", "2026-02-30T25:00:00Z", "2026-01-02", 5, undefined]) {
      clock.at = at;
      expect((await run.toolCall(tool())).applied, String(at)).toBe("deny");
      await expect(run.toolResult({ id: "c1", tool: "t", ok: true })).rejects.toFailWith(
        "BYLAW_EVENT_INVALID",
      );
    }
    await expect(open({}, { now: () => "soon" })).rejects.toFailWith("BYLAW_EVENT_INVALID");
    clock.at = NOW;
    expect((await run.toolCall(tool())).applied).toBe("allow");
    expect(await typesOf(store)).toEqual(["session_start", "tool_allowed"]);
  });

  it("no event of its own types through `record`, and none that is undeclared or does not fit its type", async () => {
    const store = createMemoryStore();
    const own = [
      ...RUN_EVENTS,
      "session_start",
      "session_resumed",
      "task_restarted_on_resume",
      "task_reverification_required",
      ANCHOR_TYPE,
    ];
    const forges = own.map((name) =>
      pluginOf(`declares-${name}`, (kernel) => kernel.event({ name, details: z.unknown() })),
    );
    const run = await open({ plugins: [noted] }, { store });
    for (const event of [
      { ...note(), event_type: "unheard_of" },
      { ...note(), details: { text: "x", more: 1 } },
      { ...note(), details: {} },
      note(7),
    ]) {
      await expect(run.record([note(), event])).rejects.toFailWith("BYLAW_EVENT_INVALID");
    }
    for (const [index, name] of own.entries()) {
      const attempt = async (): Promise<unknown> => {
        const forging = await open({ plugins: [forges[index] as Plugin] }, { store });
        return forging.record([
          { event_type: name, agent_id: null, task_id: null, details: { digest: "x", to: "DONE" } },
        ]);
      };
      await expect(attempt(), name).rejects.toMatchObject({
        code: /^BYLAW_(EVENT|PLUGIN)_INVALID$/,
      });
    }
    expect(await typesOf(store)).toEqual(["session_start"]);
  });

  it("events that its host declares, which change no policies", async () => {
    const store = createMemoryStore();
    const types = [
      { name: "note", details: z.strictObject({ text: z.string() }) },
      { name: "tool_allowed", details: z.unknown() },
    ];
    const run = await open({}, { store, types });
    await run.record([note("one")]);
    for (const event of [note(7), { ...note(), event_type: "tool_allowed" }])
      await expect(run.record([event])).rejects.toFailWith("BYLAW_EVENT_INVALID");
    expect(await typesOf(store)).toEqual(["session_start", "note"]);
    const decided = async (one: Run): Promise<unknown> =>
      (await one.toolCall(tool())).decision.policy;
    expect(await decided(run)).toEqual(await decided(await open({})));
  });

  it("no wrong details, and reports the field and the expected type, but never the value", async () => {
    const counted = z.strictObject({
      by: z.object({ n: z.int().min(1) }),
      how: z.enum(["once", "twice"]),
      of: z.union([z.null(), z.array(z.string())]),
    });
    const count = pluginOf("count", (kernel) =>
      kernel.event({ name: "counted", details: counted }),
    );
    const run = await open({ plugins: [count] }, {});
    const good = { by: { n: 1 }, how: "once", of: null };
    for (const [details, message] of [
      [{ ...good, by: { n: "s3cret" } }, "`counted`: `by.n` must be a number"],
      [{ ...good, by: { n: 0 } }, "`counted`: `by.n` must be at least 1"],
      [{ ...good, by: {} }, "`counted`: `by.n` is missing and must be a number"],
      [{ how: "once", of: null }, "`counted`: `by` is missing and must be an object"],
      [{ ...good, s3cret: 1 }, "`counted`: unknown key `s3cret`"],
      [{ ...good, how: "s3cret" }, "`counted`: `how` must be `once` or `twice`"],
      [{ ...good, of: ["a", 7] }, "`counted`: `of.1` must be text"],
      [[], "`counted`: its details must be an object"],
    ] as const) {
      const event = {
        event_type: "counted",
        agent_id: null,
        task_id: null,
        details: forged(details),
      };
      await expect(run.record([event])).rejects.toMatchObject({
        code: "BYLAW_EVENT_INVALID",
        message,
      });
    }
  });

  it("no agent or task that is not text", async () => {
    const { store, run } = await opened({ plugins: [noted] });
    const invalid = { code: "BYLAW_EVENT_INVALID" };
    for (const odd of [10n, 7, {}, () => {}]) {
      await expect(run.record([{ ...note(), agent_id: forged(odd) }])).rejects.toMatchObject(
        invalid,
      );
      await expect(run.record([{ ...note(), task_id: forged(odd) }])).rejects.toMatchObject(
        invalid,
      );
      const result = { id: "c1", tool: "t", ok: true };
      await expect(run.toolResult({ ...result, agent: forged(odd) })).rejects.toMatchObject(
        invalid,
      );
      await expect(run.toolResult({ ...result, id: forged(odd) })).rejects.toMatchObject(invalid);
      await expect(run.toolResult({ ...result, ok: forged("no") })).rejects.toMatchObject(invalid);
    }
    expect(await typesOf(store)).toEqual(["session_start"]);
  });

  it("malformed subjects too, without anything that JSON cannot represent", async () => {
    const { store, run } = await opened({ plugins: permissive });
    const refusals = [
      run.toolCall(tool({ tool: "read\nfile" })),
      run.toolCall(tool({ agent: forged(10n) })),
      run.toolCall(tool({ agent: forged({ root: true }), task: forged(() => {}) })),
      run.toolCall(tool({ args: forged("{}") })),
      run.toolCall(tool({ args: { path: "\ud800" } })),
      run.toolCall(forged(null)),
      run.toolCall(forged({ ...tool(), facts: { tokens: true } })),
      run.transition(forged({ task: "T1", artifacts: {} })),
      run.behave(forged({ action: 7 })),
      run.respond({ agent: "a1", text: "a\ud800" }),
      run.respond({ agent: "a1", text: forged(5) }),
      run.respond({ agent: "a1", tool_calls: forged(5) }),
      run.respond({ agent: "a1", tool_calls: forged([null]) }),
    ];
    const outcomes = await Promise.all(refusals);
    for (const { decision, applied, events } of outcomes) {
      expect([decision.effect, decision.code, applied]).toEqual(["deny", "invalid_call", "deny"]);
      expect(events).toHaveLength(1);
    }
    const log = await logOf(store);
    expect(log.map(({ sequence }) => sequence)).toEqual(upTo(outcomes.length + 1));
    expect(JSON.parse(JSON.stringify(log))).toEqual(log);
    for (const { agent_id, task_id } of log) {
      for (const name of [agent_id, task_id]) expect(["string", "object"]).toContain(typeof name);
      expect(agent_id === null || typeof agent_id === "string").toBe(true);
      expect(task_id === null || typeof task_id === "string").toBe(true);
    }
    expect(log.map(({ event_type }) => event_type)).not.toContain("tool_allowed");
  });

  it("without ever throwing synchronously", async () => {
    const run = await open({ plugins: permissive });
    const trap = Object.defineProperty({}, "tool", {
      enumerable: true,
      get: () => {
        throw new Error("trap");
      },
    });
    let pending: Promise<unknown> | undefined;
    expect(() => {
      pending = run.toolCall(forged(trap));
    }).not.toThrow();
    expect(await pending).toMatchObject({ applied: "deny" });
    let result: Promise<unknown> | undefined;
    expect(() => {
      result = run.toolResult({ id: "c1", tool: "t", ok: true, result: forged(1n) });
    }).not.toThrow();
    await expect(result).rejects.toMatchObject({ code: /^BYLAW_/ });
  });

  it("the subject that was decided about, even if the caller changes it meanwhile", async () => {
    const memory = createMemoryStore();
    let refusals = 1;
    // The first try meets another writer, so everything is decided a second time.
    const store = afterOpening(memory, async (commit) => {
      if (refusals-- > 0) throw new StoreConflict("seen", "Unexpected event");
      return memory.commit(commit);
    });
    const judged: string[] = [];
    const watches = voter(
      "v",
      "beforeToolCall",
      (subject) => {
        judged.push(JSON.stringify(subject.hook === "beforeToolCall" ? subject.args : null));
        return allow("fine");
      },
      { grants: true },
    );
    const run = await open({ plugins: [watches] }, { store });
    const args = { command: "ls" };
    const call = { ...tool({ args }), agent: "a1" };
    const pending = run.toolCall(call);
    args.command = "rm -rf /";
    call.agent = "root";
    const { events } = await pending;
    expect(judged).toEqual(['{"command":"ls"}', '{"command":"ls"}']);
    expect(events).toMatchObject([{ agent_id: "a1", details: { args: { command: "ls" } } }]);
  });

  it("its own run, session and time, whatever the caller claims", async () => {
    const seen: unknown[] = [];
    const spy = voter(
      "spy",
      "beforeToolCall",
      ({ run, session, at, phase }) => void seen.push({ run, session, at, phase }),
    );
    const run = await open({ plugins: [spy] });
    await run.toolCall(
      tool({ run: "other", session: "mine", at: "1999-01-01T00:00:00Z", phase: "DONE" }),
    );
    expect(seen).toEqual([{ run: "r1", session: run.session, at: NOW, phase: undefined }]);
  });
});

const reservedEvent = (event_type: string) => ({
  event_type,
  agent_id: null,
  task_id: null,
  details: {},
});

it("names the method that records a reserved event type", async () => {
  const run = await open({}, {});
  const calls = readCases<[type: string, call: string]>(import.meta, "calls");
  for (const [type, call] of calls)
    await expect(run.record([reservedEvent(type)]), type).rejects.toMatchObject({
      code: "BYLAW_EVENT_INVALID",
      message: `\`${type}\` is recorded by the run itself`,
      fix: `Call \`${call}\`, which records it`,
    });
  await expect(run.record([reservedEvent("log_anchor")])).rejects.toFailWith("BYLAW_EVENT_INVALID");
  await expect(run.record([reservedEvent("tool_alowed")])).rejects.toMatchObject({
    message: expect.stringContaining("`tool_alowed`") as string,
  });
});

it("works through an object that is derived from a run", async () => {
  const run = await open({ plugins: [...permissive, noted] }, {});
  const derived = Object.create(run) as typeof run;
  await derived.record([note()]);
  expect((await derived.toolCall(tool())).applied).toBe("allow");
  expect([derived.head, derived.run]).toEqual([run.head, "r1"]);
});
