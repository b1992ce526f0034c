import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  createKernel,
  deny,
  type Config,
  type Plugin,
  type ToolCall,
  type Transition,
} from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { pluginOf } from "@bylaw/testing";
import {
  openRun,
  createMemoryStore,
  type OpenOptions,
  type Outcome,
  type Run,
} from "../src/index.ts";
import { call, forged, voter } from "./kit.ts";

const NOW = "2026-01-02T03:04:05.000Z";
const LATER = "2026-01-02T04:00:00.000Z";
const asks = voter("asks", "beforeToolCall", () => ask("Unexpected push"));
const open = (
  config: Config = { plugins: [asks] },
  options: Partial<OpenOptions> = {},
): Promise<Run> =>
  openRun(createKernel(config), { run: "r1", now: () => NOW, join: true, ...options });
const approve = (run: Run, subject: ToolCall | Transition = call(), expires_at = LATER) =>
  run.approve({ subject, by: "ada", expires_at });
const ran = async (run: Run, fields: Partial<ToolCall> = {}): Promise<Outcome> => {
  const { hook: _, ...rest } = call(fields);
  return run.toolCall(rest);
};

describe("an approval", () => {
  it("allows exactly one call, and is recorded with the person, the call and the end", async () => {
    const run = await open();
    expect(await ran(run)).toMatchObject({ applied: "ask_user", decision: { code: "rule_asked" } });
    const [granted] = await approve(run);
    expect(granted).toMatchObject({
      event_type: "approval_granted",
      agent_id: "a1",
      details: {
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        by: "ada",
        expires_at: LATER,
      },
    });
    const { decision, applied, events } = await ran(run);
    expect({ applied, code: decision.code, approval: decision.approval }).toEqual({
      applied: "allow",
      code: "approved",
      approval: granted?.sequence,
    });
    // The question is still in the log.
    expect(decision.votes).toMatchObject([{ plugin: "asks", effect: "ask_user" }]);
    expect(events).toMatchObject([
      { event_type: "tool_allowed", details: { decision: { approval: granted?.sequence } } },
    ]);
    expect(await ran(run)).toMatchObject({ applied: "ask_user" });
  });

  it.each<[string, Partial<ToolCall>]>([
    ["other arguments", { args: { path: "b.txt" } }],
    ["an additional argument", { args: { path: "a.txt", force: true } }],
    ["arguments of another type", { args: ["a.txt"] }],
    ["another agent", { agent: "a2" }],
    ["no agent", { agent: forged(undefined) }],
    ["a task", { task: "T1" }],
    ["another tool", { tool: "write_file" }],
    ["a server", { server: "github" }],
    ["another folder", { cwd: "/etc" }],
  ])("does not cover a call with %s", async (_, fields) => {
    const run = await open();
    await approve(run);
    expect(await ran(run, fields)).toMatchObject({
      applied: "ask_user",
      decision: { code: "rule_asked" },
    });
    expect(await ran(run)).toMatchObject({ applied: "allow", decision: { code: "approved" } });
  });

  it("covers the same call with another id, and with its arguments in another order", async () => {
    const run = await open();
    await approve(run, call({ args: { a: 1, b: [2] } }));
    expect(await ran(run, { id: "c2", args: { b: [2], a: 1 } })).toMatchObject({
      applied: "allow",
    });
  });

  it("never lifts a deny", async () => {
    const denies = voter("denies", "beforeToolCall", () => deny("no"));
    const run = await open({ plugins: [asks, denies] });
    await approve(run);
    expect(await ran(run)).toMatchObject({ applied: "deny", decision: { code: "rule_denied" } });
    const broken = voter("broken", "beforeToolCall", () => {
      throw new Error("broke");
    });
    const other = await open({ plugins: [asks, broken] });
    await approve(other);
    expect(await ran(other)).toMatchObject({ applied: "deny", decision: { code: "check_failed" } });
  });

  it("answers the fallback's question, but does not lift a default deny", async () => {
    const asking = await open({});
    await approve(asking);
    expect(await ran(asking)).toMatchObject({ applied: "allow", decision: { code: "approved" } });
    const denying = await open({ fallback: "deny" });
    await approve(denying);
    expect(await ran(denying)).toMatchObject({ applied: "deny", decision: { code: "fallback" } });
  });

  it("counts even if nobody can be asked", async () => {
    const run = await open();
    expect(await ran(run, { interactive: false })).toMatchObject({
      applied: "deny",
      decision: { code: "approval_unavailable" },
    });
    await approve(run);
    expect(await ran(run, { interactive: false })).toMatchObject({
      applied: "allow",
      decision: { code: "approved" },
    });
  });

  it("that has expired is no refusal, and allows nothing", async () => {
    let now = NOW;
    const run = await open({ plugins: [asks] }, { now: () => now });
    await approve(run);
    now = LATER;
    expect(await ran(run)).toMatchObject({
      applied: "ask_user",
      decision: { code: "approval_expired" },
    });
    expect(await ran(run, { interactive: false })).toMatchObject({
      applied: "deny",
      decision: { code: "approval_expired" },
    });
    await approve(run, call(), "2026-01-02T05:00:00.000Z");
    expect(await ran(run)).toMatchObject({ applied: "allow" });
  });

  it("is asked for until the time that the host says, which only the question has", async () => {
    const run = await open();
    const { hook: _, ...asked } = call();
    const ask = () => run.toolCall(asked, { expires_at: LATER });
    expect((await ask()).events).toMatchObject([
      { event_type: "tool_asked", details: { expires_at: LATER } },
    ]);
    await approve(run);
    const [allowed] = (await ask()).events;
    expect(allowed?.event_type).toBe("tool_allowed");
    expect(allowed?.details).not.toHaveProperty("expires_at");
    expect((await ran(run)).events[0]?.details).not.toHaveProperty("expires_at");
  });

  it("allows nothing if the clock gives no valid time", async () => {
    let now = NOW;
    const run = await open({ plugins: [asks] }, { now: () => now });
    await approve(run);
    now = "half past nine";
    expect((await ran(run)).applied).toBe("deny");
  });

  it.each(["soon", "", "9999", "2999-01-01", "Jan 1 2999", "1767323045", "2026-13-01T00:00:00Z"])(
    "is refused if it ends at `%s`, which is not an RFC 3339 time",
    async (expires_at) => {
      const run = await open();
      await expect(approve(run, call(), expires_at)).rejects.toFailWith("BYLAW_EVENT_INVALID");
      expect((await ran(run)).applied).toBe("ask_user");
    },
  );

  it.each([[undefined], [""], [7]])(
    "is refused from %j, because a person must give it",
    async (by) => {
      const run = await open();
      const given = run.approve({ subject: call(), by: forged(by), expires_at: LATER });
      await expect(given).rejects.toFailWith("BYLAW_EVENT_INVALID");
    },
  );

  it("is refused for an invalid subject", async () => {
    const run = await open();
    await expect(approve(run, call({ tool: "" }))).rejects.toFailWith("BYLAW_SUBJECT_INVALID");
    for (const none of [null, 7, "x", []])
      await expect(approve(run, forged(none))).rejects.toMatchObject({ code: /^BYLAW_/ });
    const forging = forged({ ...call(), facts: { tokens: true } });
    await expect(approve(run, forging)).rejects.toFailWith("BYLAW_SUBJECT_INVALID");
  });

  it("counts only under the policy that asked", async () => {
    const store = createMemoryStore();
    const digested = (sha256: string): Plugin =>
      pluginOf("policy", (kernel) => {
        kernel.digest(sha256);
        kernel.hooks.beforeToolCall.tap("t", () => ask("Unexpected push"));
      });
    const before = await open({ plugins: [digested("sha256:1")] }, { store });
    await approve(before);
    const after = await open({ plugins: [digested("sha256:2")] }, { store });
    expect((await ran(after)).applied).toBe("ask_user");
    const more = await open({ plugins: [digested("sha256:1"), asks] }, { store });
    expect((await ran(more)).applied).toBe("ask_user");
    const same = await open({ plugins: [digested("sha256:1")] }, { store });
    expect((await ran(same)).applied).toBe("allow");
  });

  it("of one run does not count in another", async () => {
    const store = createMemoryStore();
    await approve(await open({ plugins: [asks] }, { store }));
    expect((await ran(await open({ plugins: [asks] }, { store, run: "r2" }))).applied).toBe(
      "ask_user",
    );
  });

  it("given through another run object counts before this one has read it", async () => {
    const store = createMemoryStore();
    const [here, there] = [
      await open({ plugins: [asks] }, { store }),
      await open({ plugins: [asks] }, { store }),
    ];
    await approve(there);
    expect((await ran(here)).applied).toBe("allow");
    expect((await ran(there)).applied).toBe("ask_user");
  });

  it.each([1, 2, 5])(
    "is used once, however many calls race for it in %i run objects",
    async (sessions) => {
      const store = createMemoryStore();
      await approve(await open({ plugins: [asks] }, { store }));
      const runs = await Promise.all(
        Array.from({ length: sessions }, () => open({ plugins: [asks] }, { store })),
      );
      const outcomes = await Promise.all([...runs, ...runs].map((run) => ran(run)));
      expect(outcomes.filter(({ applied }) => applied === "allow")).toHaveLength(1);
      const log = await store.events("r1", 0, 1_000);
      expect(log.filter(({ event_type }) => event_type === "tool_allowed")).toHaveLength(1);
    },
  );

  it("is used once even if no writer sees the others", async () => {
    const memory = createMemoryStore();
    const store: Store = { ...memory, commit: ({ admit: _, ...commit }) => memory.commit(commit) };
    await approve(await open({ plugins: [asks] }, { store }));
    const runs = await Promise.all(
      Array.from({ length: 3 }, () => open({ plugins: [asks] }, { store })),
    );
    const outcomes = await Promise.all(runs.map((run) => ran(run)));
    expect(outcomes.map(({ applied }) => applied).toSorted()).toEqual([
      "allow",
      "ask_user",
      "ask_user",
    ]);
  });

  it("is not used up by an event that only mentions it", async () => {
    const declares = pluginOf("notes", (kernel) =>
      kernel.event({ name: "note", details: z.unknown() }),
    );
    const run = await open({ plugins: [asks, declares] });
    const [granted] = await approve(run);
    const approval = granted?.sequence ?? 0;
    await run.toolResult({ id: "c9", tool: "t", ok: true, result: { approval } });
    await run.record([
      { event_type: "note", agent_id: "a1", task_id: null, details: { approval } },
    ]);
    expect((await ran(run)).applied).toBe("allow");
  });

  it("given twice allows at least one call and at most two", async () => {
    const run = await open();
    await approve(run);
    await approve(run);
    const outcomes = [await ran(run), await ran(run), await ran(run)].map(({ applied }) => applied);
    expect(outcomes[0]).toBe("allow");
    expect(outcomes[2]).toBe("ask_user");
  });
});

describe("an approval at the other hooks", () => {
  it("covers one transition with exactly these artifacts, from exactly this phase", async () => {
    const gate = voter("gate", "onTransition", () => ask("Unexpected release"));
    const run = await open({ plugins: [gate] });
    const request = { task: "T1", agent: "a1", to: "RELEASE", artifacts: { report: { ok: true } } };
    await approve(run, { ...request, hook: "onTransition" });
    expect(
      (await run.transition({ ...request, artifacts: { report: { ok: false } } })).applied,
    ).toBe("ask_user");
    expect((await run.transition({ ...request, to: "DONE" })).applied).toBe("ask_user");
    expect((await run.transition(request)).applied).toBe("allow");
    expect((await run.transition(request)).applied).toBe("ask_user");
  });

  it("covers one response with exactly these tool calls", async () => {
    const gate = voter("gate", "onEnforcement", () => ask("Unexpected vote"));
    const run = await open({ plugins: [gate] });
    const response = { agent: "a1", text: "done", tool_calls: [{ tool: "vote", args: { id: 1 } }] };
    await run.approve({
      subject: { ...response, hook: "onEnforcement" },
      by: "ada",
      expires_at: LATER,
    });
    expect((await run.respond({ ...response, tool_calls: [{ tool: "delete_all" }] })).applied).toBe(
      "ask_user",
    );
    expect(
      (await run.respond({ ...response, tool_calls: [{ tool: "vote", args: { id: 2 } }] })).applied,
    ).toBe("ask_user");
    expect((await run.respond(response)).applied).toBe("allow");
  });

  it("covers one behavior with exactly this reason", async () => {
    const gate = voter("gate", "onBehavior", () => ask("Unexpected stop"));
    const run = await open({ plugins: [gate] });
    const action = { agent: "a1", action: "stop", reason: "done" };
    await run.approve({ subject: { ...action, hook: "onBehavior" }, by: "ada", expires_at: LATER });
    expect((await run.behave({ ...action, reason: "bored" })).applied).toBe("ask_user");
    expect((await run.behave(action)).applied).toBe("allow");
  });
});
