import { describe, expect, it } from "vitest";
import { z } from "zod";
import { allow, ask, deny, type Plugin } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { pluginOf } from "@bylaw/testing";
import { createMemoryStore, type Run } from "../src/index.ts";
import { forged, voter } from "./kit.ts";
import {
  NOW,
  afterOpening,
  counter,
  counts,
  logOf,
  note,
  noted,
  open,
  permissive,
  sinkOf,
  takeOver,
  typesOf,
  upTo,
  opened,
  takenOver,
} from "./run-kit.ts";

const request = {
  agent: "a1",
  task: "T1",
  to: "PLAN",
  artifacts: { plan: { title: "a plan" } },
  request_id: "q1",
} as const;
/** Allows the first transition of a task only. */
const firstOnly = voter(
  "gate",
  "onTransition",
  ({ phase }) => (phase === undefined ? allow("fresh") : deny("Unexpected second start")),
  { grants: true },
);
const config = { plugins: [firstOnly, noted] };
const codes = (
  outcomes: readonly { readonly applied: string; readonly replayed?: true }[],
): readonly string[] =>
  outcomes.map(({ applied, replayed }) => (replayed === true ? `${applied} again` : applied));

describe("a tool call under a request id", () => {
  const call = { agent: "a1", task: "T1", tool: "write", args: { path: "a.ts" } } as const;
  const document = { kind: "answer", id: "q1", value: "kept" } as const;

  it("gets its first answer, is recorded once, and its documents are written with it", async () => {
    let answer = allow("fine");
    const { store, run } = await opened({
      plugins: [voter("rule", "beforeToolCall", () => answer, { grants: true })],
    });
    const first = await run.toolCall(call, { request_id: "q1", documents: [document] });
    answer = deny("no more");
    const second = await run.toolCall({ ...call }, { request_id: "q1" });
    expect(second).toEqual({ ...first, replayed: true });
    expect(await store.get("answer", "q1")).toEqual({ version: 1, value: "kept" });
    expect(await typesOf(store)).toEqual(["session_start", "tool_allowed"]);
    expect(
      (await run.toolCall({ ...call, args: { path: "b.ts" } }, { request_id: "q1" })).applied,
    ).toBe("deny");
    expect((await run.toolCall(call)).applied).toBe("deny");
  });

  it("writes documents with the result of the tool", async () => {
    const { store, run } = await opened({ plugins: [noted] });
    await run.toolResult({ id: "c1", tool: "write", ok: true }, { documents: [document] });
    expect(await store.get("answer", "q1")).toEqual({ version: 1, value: "kept" });
  });
});

describe("the same transition under the same request id (WF-114)", () => {
  it("gets its first answer, and is recorded once", async () => {
    const { store, run } = await opened(config);
    const first = await run.transition(request);
    const { events, ...second } = await run.transition({ ...request });
    expect(second).toEqual({ decision: first.decision, applied: "allow", replayed: true });
    expect(events).toEqual(first.events);
    expect(first).not.toHaveProperty("replayed");
    expect(await typesOf(store)).toEqual(["session_start", "phase_entered"]);
    expect((await run.transition({ ...request, request_id: "q2" })).applied).toBe("deny");
  });

  it("gets the block of the first time, even if it would be allowed now", async () => {
    let answer = deny("Unexpected haste", "wait");
    const gate = voter("gate", "onTransition", () => answer, { grants: true });
    const { store, run } = await opened({ plugins: [gate] });
    const first = await run.transition(request);
    answer = allow("fine");
    expect(await run.transition(request)).toEqual({ ...first, replayed: true });
    expect((await run.transition({ ...request, request_id: "q2" })).applied).toBe("allow");
    answer = deny("Unexpected haste");
    expect(await run.transition(request)).toEqual({ ...first, replayed: true });
    expect(await typesOf(store)).toEqual(["session_start", "transition_blocked", "phase_entered"]);
  });

  it("gets the question of the first time, and uses no later approval", async () => {
    const gate = voter("gate", "onTransition", () => ask("may it?"));
    const run = await open({ plugins: [gate, ...permissive] });
    const first = await run.transition(request);
    const { request_id: _, ...asked } = request;
    await run.approve({
      subject: { hook: "onTransition", ...request },
      by: "eve",
      expires_at: "2027-01-01T00:00:00Z",
    });
    expect(codes([first, await run.transition(request)])).toEqual(["ask_user", "ask_user again"]);
    expect(asked).not.toHaveProperty("request_id");
  });

  it("uses an approval once, and is answered twice", async () => {
    const gate = voter("gate", "onTransition", () => ask("may it?"));
    const run = await open({ plugins: [gate, ...permissive] });
    await run.approve({
      subject: { hook: "onTransition", ...request },
      by: "eve",
      expires_at: "2027-01-01T00:00:00Z",
    });
    expect(codes([await run.transition(request), await run.transition(request)])).toEqual([
      "allow",
      "allow again",
    ]);
    expect((await run.transition({ ...request, request_id: "q2" })).applied).toBe("ask_user");
  });

  it("is approved under any id, so that it can be repeated after a person's yes", async () => {
    const gate = voter("gate", "onTransition", () => ask("may it?"));
    const run = await open({ plugins: [gate, ...permissive] });
    expect((await run.transition(request)).applied).toBe("ask_user");
    await run.approve({
      subject: { hook: "onTransition", ...request },
      by: "eve",
      expires_at: "2027-01-01T00:00:00Z",
    });
    const codesOf = async (request_id: string) =>
      codes([await run.transition({ ...request, request_id })]);
    expect([
      await codesOf("q1"),
      await codesOf("q2"),
      await codesOf("q3"),
      await codesOf("q2"),
    ]).toEqual([...[["ask_user again"], ["allow"], ["ask_user"], ["allow again"]]]);
  });

  it("is recorded once when it is asked many times at once, through one run object and through several", async () => {
    const store = createMemoryStore();
    const runs = await Promise.all(upTo(4).map(() => open(config, { store })));
    const outcomes = await Promise.all(
      runs.flatMap((run) => upTo(4).map(() => run.transition(request))),
    );
    expect(codes(outcomes).filter((code) => code === "allow")).toHaveLength(1);
    expect(codes(outcomes).filter((code) => code === "allow again")).toHaveLength(15);
    expect(new Set(outcomes.map(({ events }) => JSON.stringify(events))).size).toBe(1);
    expect(await typesOf(store)).toEqual(["session_start", "phase_entered"]);
    for (const run of runs) expect(run.head).toBe(2);
  });

  it("gets its first answer from the session that took over, and none from the superseded one", async () => {
    const { store, run: first } = await takenOver(config);
    const before = await first.transition(request);
    const second = await takeOver(config, { store });
    expect(await second.transition(request)).toEqual({ ...before, replayed: true });
    expect(await first.transition(request)).toMatchObject({
      decision: { code: "engine_absent" },
      applied: "deny",
      events: [],
    });
    await second.close();
    expect(await second.transition(request)).toMatchObject({
      decision: { code: "engine_absent" },
      applied: "deny",
    });
    expect((await typesOf(store)).filter((type) => type === "phase_entered")).toHaveLength(1);
  });

  it("is answered from the log if its first answer was lost on the way", async () => {
    const memory = createMemoryStore();
    let lost = false;
    const store = afterOpening(memory, async (commit) => {
      const receipt = await memory.commit(commit);
      if (lost) return receipt;
      lost = true;
      throw new Error("connection lost");
    });
    const run = await open(config, { store });
    expect(codes([await run.transition(request), await run.transition(request)])).toEqual([
      "deny",
      "allow again",
    ]);
    expect(await typesOf(memory)).toEqual(["session_start", "phase_entered"]);
  });

  it("is not kept if it was refused before it could be recorded", async () => {
    const memory = createMemoryStore();
    let full = true;
    const store = afterOpening(memory, async (commit) => {
      if (full) throw new Error("disk full");
      return memory.commit(commit);
    });
    const run = await open(config, { store });
    expect((await run.transition(request)).decision.code).toBe("engine_absent");
    full = false;
    expect(codes([await run.transition(request), await run.transition(request)])).toEqual([
      "allow",
      "allow again",
    ]);
  });

  it("has its own id in the answer", async () => {
    const run = await open(config);
    await run.transition({ ...request, id: "first" });
    expect((await run.transition({ ...request, id: "second" })).decision.id).toBe("second");
    expect((await run.transition(request)).decision).not.toHaveProperty("id");
  });

  it("is not sent to any sink a second time", async () => {
    const told: number[] = [];
    const sink = sinkOf({
      write: (events) => void told.push(...events.map(({ sequence }) => sequence)),
    });
    const run = await open({ plugins: [firstOnly, pluginOf("s", (kernel) => kernel.sink(sink))] });
    await run.transition(request);
    await run.transition(request);
    expect(told).toEqual([1, 2]);
  });
});

describe("a request id", () => {
  /** The answer of a run to a request after `request` was allowed. */
  async function after(
    fields: object,
  ): Promise<{ readonly applied: string; readonly replayed?: true }> {
    const run = await open(config);
    await run.transition({ ...request, host: { token: "ann's" } });
    return run.transition({ ...request, host: { token: "ann's" }, ...fields });
  }

  it.each([
    ["another agent", { agent: "a2" }],
    ["nobody", { agent: undefined }],
    ["another token", { host: { token: "bob's" } }],
    ["no token", { host: undefined }],
    ["other claims", { claims: { agent: "root" } }],
    ["another phase", { to: "DONE" }],
    ["other artifacts", { artifacts: { plan: { title: "another plan" } } }],
    ["no artifacts", { artifacts: {} }],
    ["another reason", { reason: "because" }],
    ["somebody who can be asked", { interactive: true }],
  ])("is another request for %s, and is decided anew", async (_, fields) => {
    expect(codes([await after(fields)])).toEqual(["deny"]);
  });

  it("of another task is another request", async () => {
    const run = await open(config);
    expect(
      codes([await run.transition(request), await run.transition({ ...request, task: "T2" })]),
    ).toEqual(["allow", "allow"]);
  });

  it("is the same however the request is written, and whatever it claims that the run ignores", async () => {
    const same = {
      id: "x",
      at: "2020-01-01T00:00:00Z",
      phase: "DONE",
      from: "DONE",
      run: "r9",
      session: "s9",
    };
    expect(codes([await after(same)])).toEqual(["allow again"]);
    const run = await open(config);
    await run.transition({ ...request, artifacts: { a: 1, b: [1e2] } });
    expect(codes([await run.transition({ ...request, artifacts: { b: [100], a: 1 } })])).toEqual([
      "allow again",
    ]);
  });

  it("that is malformed is a bad request every time", async () => {
    const run = await open(config);
    for (const request_id of [7, null, {}, "\ud800"]) {
      const outcome = await run.transition({ ...request, request_id: forged(request_id) });
      expect(outcome).toMatchObject({ decision: { code: "invalid_call" }, applied: "deny" });
      expect(outcome).not.toHaveProperty("replayed");
    }
    expect((await run.transition({ ...request, request_id: "" })).applied).toBe("allow");
    expect((await run.transition({ ...request, request_id: "" })).replayed).toBe(true);
  });

  it("does not count in the subject of other questions", async () => {
    const { store, run } = await opened({ plugins: permissive });
    const call = { id: "c1", agent: "a1", tool: "read_file", args: {}, request_id: "q1" };
    for (const outcome of [await run.toolCall(call), await run.toolCall(call)])
      expect(outcome.decision.code).toBe("invalid_call");
    expect(await typesOf(store)).toEqual(["session_start", "tool_denied", "tool_denied"]);
  });

  it("cannot be occupied by recording something under it, nor by writing to the store under the plain id", async () => {
    const run = await open(config);
    await run.record([note()], { request_id: "q1" });
    const [event] = await run.record([note("other")], { request_id: "q1" });
    expect(event?.details).toEqual({ text: "other" });
    expect(codes([await run.transition(request), await run.transition(request)])).toEqual([
      "allow",
      "allow again",
    ]);
  });
});

it.each([
  ["without a decision", (event: object) => ({ ...event, details: {} })],
  ["that contradicts itself", (event: object) => ({ ...event, event_type: "transition_blocked" })],
  ["of another kind", (event: object) => ({ ...event, event_type: "tool_allowed" })],
])("a recorded answer that was changed allows nothing: %s", async (_, spoil) => {
  const memory = createMemoryStore();
  const store: Store = {
    ...memory,
    async commit(commit) {
      const receipt = await memory.commit(commit);
      return receipt.replayed
        ? { ...receipt, events: receipt.events.map((event) => spoil(event) as typeof event) }
        : receipt;
    },
  };
  const run = await open(config, { store });
  await run.transition(request);
  expect(await run.transition(request)).toMatchObject({
    decision: { code: "engine_absent" },
    applied: "deny",
  });
});

describe("committing with events", () => {
  const tasked: Plugin = pluginOf("tasked", (kernel) => {
    kernel.event({ name: "work", details: z.strictObject({ n: z.number() }) });
    kernel.event({ name: "taken", details: z.strictObject({ fence: z.number() }) });
  });
  const work = (n: number) => ({
    event_type: "work",
    agent_id: null,
    task_id: "T1",
    details: { n },
  });
  const created = { id: "T1", fence: 0, set: { state: "available", queue: "q" } } as const;
  const taken = {
    queue: "q",
    agent: "a1",
    lease_ms: 1_000,
    event: ({ task, fence }: { readonly task: string; readonly fence: number }) => ({
      ...{ event_type: "taken", agent_id: "a1", task_id: task, details: { fence } },
    }),
  };
  const start = async (
    store = createMemoryStore({ now: () => Date.parse(NOW) }),
    plugins: readonly Plugin[] = [],
  ) => ({ store, run: await open({ plugins: [tasked, counts, ...plugins] }, { store }) });

  it("writes a task's state and a document, all or nothing", async () => {
    const { store, run } = await start();
    const documents = [{ kind: "k", id: "d", value: "v", if_version: 0 }];
    await run.record([work(1)], { task: created, documents });
    expect(await store.get("k", "d")).toEqual({ version: 1, value: "v" });
    await expect(run.record([work(2)], { task: created })).rejects.toMatchObject({
      name: "StoreConflict",
      what: "fence",
    });
    await expect(run.record([work(2)], { documents })).rejects.toMatchObject({
      name: "StoreConflict",
      what: "document",
    });
    expect(await typesOf(store)).toEqual(["session_start", "work"]);
  });

  it("is recorded once under one request id, and again for other content", async () => {
    const { store, run } = await start();
    const first = await run.record([work(1)], { request_id: "q1" });
    expect(await run.record([work(1)], { request_id: "q1" })).toEqual(first);
    await run.record([work(2)], { request_id: "q1" });
    expect(await typesOf(store)).toEqual(["session_start", "work", "work"]);
  });

  it("claims a task, with its event as the run records it", async () => {
    const redacts = pluginOf("redacts", (kernel) =>
      kernel.redact(({ event_type, details }) =>
        event_type === "taken" ? { ...details, fence: -1 } : details,
      ),
    );
    const told: string[] = [];
    const sink = pluginOf("s", (kernel) =>
      kernel.sink(
        sinkOf({ write: (events) => void told.push(...events.map((one) => one.event_type)) }),
      ),
    );
    const { store, run } = await start(undefined, [redacts, sink]);
    await run.record([work(1)], { task: created });
    const claim = await run.claim(taken);
    expect(claim).toMatchObject({
      task: "T1",
      run: "r1",
      fence: 1,
      event: { sequence: 3, session_id: run.session, details: { fence: -1 } },
    });
    expect([run.head, told]).toEqual([3, ["session_start", "work", "taken"]]);
    expect((await logOf(store)).at(-1)).toEqual(claim?.event);
    expect(await run.claim(taken)).toBeUndefined();
    await expect(
      run.record([work(2)], { task: { id: "T1", fence: 2, lease_ms: 5 } }),
    ).rejects.toMatchObject({ what: "fence" });
    await run.record([work(2)], { task: { id: "T1", fence: 1, set: { state: "done" } } });
  });

  it("refuses a claim whose event no plugin declares, does not fit, or is reserved for the run", async () => {
    const { store, run } = await start();
    await run.record([work(1)], { task: created });
    for (const bad of [
      { event_type: "unheard_of" },
      { event_type: "phase_entered" },
      { details: { fence: "one" } },
      { agent_id: forged(7) },
    ]) {
      const event = () => ({
        event_type: "taken",
        agent_id: "a1",
        task_id: "T1",
        details: { fence: 1 },
        ...bad,
      });
      await expect(run.claim({ ...taken, event: forged(event) })).rejects.toFailWith(
        "BYLAW_EVENT_INVALID",
      );
    }
    expect(await typesOf(store)).toEqual(["session_start", "work"]);
    expect((await run.claim(taken))?.fence).toBe(1);
  });

  it("refuses a claim if a guard does, which sees the log at that moment", async () => {
    const store = createMemoryStore();
    const noMore = pluginOf("no-more", (kernel) =>
      kernel.guard("g", (view, { event_type }) =>
        event_type === "taken" && (view(counter)["work"] ?? 0) > 1
          ? { rule: "NO_MORE", message: "enough" }
          : undefined,
      ),
    );
    const [here, there] = [await start(store, [noMore]), await start(store, [noMore])];
    await here.run.record([work(1)], { task: created });
    await there.run.record([work(2)]);
    await expect(here.run.claim(taken)).rejects.toFailWith("BYLAW_EVENT_REFUSED");
    expect(await typesOf(store)).toEqual(["session_start", "work", "work"]);
  });

  it("refuses a claim of a superseded session, of a closed run, or for another run's task", async () => {
    const store = createMemoryStore();
    const { run: first } = await start(store);
    await first.record([work(1)], { task: created });
    const second = await takeOver({ plugins: [tasked, counts] }, { store });
    await expect(first.claim(taken)).rejects.toFailWith("BYLAW_RUN_SUPERSEDED");
    const other = await takeOver({ plugins: [tasked, counts] }, { store, run: "r2" });
    await expect(other.claim(taken)).rejects.toFailWith("BYLAW_EVENT_REFUSED");
    await other.close();
    await expect(other.claim(taken)).rejects.toFailWith("BYLAW_RUN_CLOSED");
    expect((await second.claim(taken))?.fence).toBe(1);
  });

  it("dates an event no earlier than what another process recorded first", async () => {
    const store = createMemoryStore();
    const { run } = await start(store);
    const later = await open(
      { plugins: [tasked, counts] },
      { store, now: () => "2026-02-02T00:00:00Z" },
    );
    await later.record([work(1)], { task: created });
    expect((await run.claim(taken))?.event.timestamp).toBe("2026-02-02T00:00:00Z");
  });

  it("returns the same claim for one request id of one agent in one run", async () => {
    const { store, run } = await start();
    for (const id of ["T1", "T2", "T3"]) await run.record([work(1)], { task: { ...created, id } });
    const first = await run.claim({ ...taken, request_id: "q1" });
    expect(await run.claim({ ...taken, request_id: "q1" })).toEqual(first);
    expect((await run.claim({ ...taken, agent: "a2", request_id: "q1" }))?.task).toBe("T2");
    const other = await open({ plugins: [tasked, counts] }, { store, run: "r2" });
    await expect(other.claim({ ...taken, request_id: "q1" })).rejects.toFailWith(
      "BYLAW_EVENT_REFUSED",
    );
    await other.record([work(1)], {
      task: { id: "T9", fence: 0, set: { state: "available", queue: "elsewhere" } },
    });
    expect((await other.claim({ ...taken, queue: "elsewhere", request_id: "q1" }))?.task).toBe(
      "T9",
    );
    const joined = await takeOver({ plugins: [tasked, counts] }, { store });
    await expect(run.claim({ ...taken, request_id: "q1" })).rejects.toFailWith(
      "BYLAW_RUN_SUPERSEDED",
    );
    expect(await joined.claim({ ...taken, request_id: "q1" })).toEqual(first);
  });

  it("can be read by others", async () => {
    const store = createMemoryStore();
    const runs: readonly { readonly run: Run }[] = [await start(store), await start(store)];
    await runs[0]?.run.record([work(1)]);
    expect(runs[1]?.run.head).toBe(1);
    await runs[1]?.run.catchUp();
    expect(runs[1]?.run.head).toBe(2);
  });
});
