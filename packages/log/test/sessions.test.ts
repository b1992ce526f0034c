import { describe, expect, it } from "vitest";
import { z } from "zod";
import { allow, type LogEvent } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { pluginOf } from "@bylaw/testing";
import {
  RUN_TYPES,
  createCatalogue,
  createLogVerifier,
  createMemoryStore,
  formatEventLine,
  linkOf,
  NO_LINK,
} from "../src/index.ts";
import { call, forged, voter } from "./kit.ts";
import {
  NOW,
  afterOpening,
  counter,
  counts,
  logOf,
  note,
  noted,
  open,
  sequencesOf,
  takeOver,
  tool,
  typesOf,
  upTo,
  permissive,
  opened,
  takenOver,
} from "./run-kit.ts";

const A = "6f0f6a2e-5a0f-4b43-9d0e-0b8c8f3f0a01";
const LATER = "2026-02-01T00:00:00Z";
const everything = { plugins: [counts, noted, ...permissive] };

/** The findings of a verifier for a log, and whether its chain holds. */
async function findings(store: Store): Promise<readonly unknown[]> {
  const catalogue = createCatalogue({
    mode: "strict",
    types: [{ name: "note", details: z.strictObject({ text: z.string() }) }],
  });
  const verifier = createLogVerifier({ catalogue });
  const log = await logOf(store);
  let link = NO_LINK;
  const broken = log.filter((event) => (link = linkOf(link, event.sequence, event)) !== event.hash);
  return [...log.flatMap((event) => verifier.line(formatEventLine(event))), ...broken];
}

/** A clock that returns each time once, and then the last one. */
const clock = (...times: readonly string[]): (() => string) => {
  let index = 0;
  return () => times[Math.min(index++, times.length - 1)] ?? NOW;
};

describe("the first event of a session", () => {
  it.each([
    [undefined, { plan_file: null, total_tasks: 0 }],
    [
      { file: "plan.md", total_tasks: 7 },
      { plan_file: "plan.md", total_tasks: 7 },
    ],
  ])("begins an empty log, with the plan if there is one: %j", async (plan, details) => {
    const { store, run } = await takenOver(
      {},
      { session: A, ...(plan === undefined ? {} : { plan }) },
    );
    expect(run).toMatchObject({ session: A, head: 1 });
    expect(await logOf(store)).toEqual([
      {
        timestamp: NOW,
        sequence: 1,
        session_id: A,
        event_type: "session_start",
        agent_id: null,
        task_id: null,
        details,
        hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      },
    ]);
  });

  it("names the previous session and the time of its last event", async () => {
    const { store, run: first } = await takenOver(everything, {
      now: clock(NOW, "2026-01-02T04:00:00.000Z"),
    });
    await first.record([note()]);
    const second = await takeOver(everything, { store, now: () => LATER });
    expect(second.session).not.toBe(first.session);
    expect((await logOf(store))[2]).toMatchObject({
      event_type: "session_resumed",
      session_id: second.session,
      timestamp: LATER,
      details: { previous_session_id: first.session, state_saved_at: "2026-01-02T04:00:00.000Z" },
    });
  });

  it("is not repeated when a session is opened again under its own name", async () => {
    const store = createMemoryStore();
    await takeOver(everything, { store, session: A });
    const again = await takeOver(everything, { store, session: A });
    await again.record([note()]);
    expect(await typesOf(store)).toEqual(["session_start", "note"]);
  });

  it("is not recorded with an invalid session or plan", async () => {
    const store = createMemoryStore();
    const odd = [
      ...["", "main", `${A}0`, "6f0f6a2e5a0f4b439d0e0b8c8f3f0a01"].map((session) => ({ session })),
      { session: forged(7) },
      { plan: forged({ file: "plan.md" }) },
      { plan: forged({ total_tasks: 1 }) },
      { plan: { file: "plan.md", total_tasks: -1 } },
      { plan: { file: "plan.md", total_tasks: 0.5 } },
      { plan: forged(null) },
    ];
    for (const options of odd)
      await expect(takeOver({}, { store, ...options })).rejects.toFailWith("BYLAW_EVENT_INVALID");
    expect(await logOf(store)).toEqual([]);
  });

  it("fails the opening and is not written if a guard refuses it", async () => {
    const store = createMemoryStore();
    const closed = pluginOf("closed", (kernel) =>
      kernel.guard("g", (_, { event_type }) =>
        event_type.startsWith("session_")
          ? { rule: "CLOSED", message: "the workflow is over" }
          : undefined,
      ),
    );
    await expect(takeOver({ plugins: [closed] }, { store })).rejects.toFailWith(
      "BYLAW_EVENT_REFUSED",
    );
    expect(await logOf(store)).toEqual([]);
    const keeper = await takeOver(everything, { store });
    await expect(takeOver({ plugins: [closed] }, { store })).rejects.toFailWith(
      "BYLAW_EVENT_REFUSED",
    );
    // The current session was not taken over and continues.
    expect((await keeper.toolCall(tool())).applied).toBe("allow");
    expect(await typesOf(store)).toEqual(["session_start", "tool_allowed"]);
  });

  it("fails the opening if the store does not accept it", async () => {
    const store: Store = {
      ...createMemoryStore(),
      commit: async () => {
        throw new Error("disk full");
      },
    };
    await expect(takeOver(everything, { store })).rejects.toThrow("disk full");
  });
});

describe("a log of several sessions", () => {
  it("is valid: sequences, times, sessions, types, details and chain", async () => {
    const store = createMemoryStore();
    for (const minute of upTo(4)) {
      const run = await takeOver(everything, {
        store,
        now: () => `2026-01-02T03:0${minute}:00.000Z`,
      });
      await run.toolCall(tool());
      await run.toolResult({ id: "c1", tool: "read_file", ok: true });
      await run.transition({ task: "T1", to: "PLAN", artifacts: {} });
      await run.behave({ action: "loop" });
      await run.respond({ text: "done" });
      await run.approve({ subject: call(), by: "ada", expires_at: LATER });
      await run.record([note()]);
      await run.close();
    }
    expect(await findings(store)).toEqual([]);
    expect((await typesOf(store)).filter((type) => type.startsWith("session_"))).toEqual([
      "session_start",
      ...Array.from({ length: 3 }, () => "session_resumed"),
    ]);
    expect(RUN_TYPES.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["tool_allowed", "approval_granted"]),
    );
  });

  it.each([{ join: true }, { join: false }])(
    "begins once, however many open it at once with %j",
    async ({ join }) => {
      const store = createMemoryStore();
      const runs = await Promise.all(upTo(20).map(() => open(everything, { store, join })));
      const types = await typesOf(store);
      expect(types.filter((type) => type === "session_start")).toHaveLength(1);
      expect(new Set(runs.map(({ session }) => session)).size).toBe(join ? 1 : 20);
      expect(types).toHaveLength(join ? 1 : 20);
      // All that joined may record; of the others, only the last one.
      const outcomes = await Promise.all(
        runs.map((run, index) => run.toolCall(tool({ agent: `a${index}` }))),
      );
      expect(outcomes.filter(({ applied }) => applied === "allow")).toHaveLength(join ? 20 : 1);
      expect(await findings(store)).toEqual([]);
    },
  );
});

describe("a run that joins", () => {
  it("takes part in the current session, whatever its own id", async () => {
    const { store, run: keeper } = await takenOver(everything);
    const joined = await open(everything, { store, session: A });
    expect(joined.session).toBe(keeper.session);
    const { events } = await joined.toolCall(tool());
    expect(events).toMatchObject([{ session_id: keeper.session, sequence: 2 }]);
    expect((await keeper.toolCall(tool())).applied).toBe("allow");
    expect(await findings(store)).toEqual([]);
  });

  it("begins a session if there is none", async () => {
    const { store, run: first } = await opened(everything, {
      session: A,
      plan: { file: "p.md", total_tasks: 1 },
    });
    expect(first.session).toBe(A);
    expect(await logOf(store)).toMatchObject([
      { event_type: "session_start", details: { plan_file: "p.md" } },
    ]);
  });

  it("joins the last session, not the first", async () => {
    const store = createMemoryStore();
    await takeOver(everything, { store });
    const last = await takeOver(everything, { store });
    expect((await open(everything, { store })).session).toBe(last.session);
  });
});

describe("a superseded session", () => {
  async function superseded(extra: Parameters<typeof open>[0] = everything) {
    const { store, run: old } = await takenOver(extra);
    const keeper = await takeOver(everything, { store });
    return { store, old, keeper };
  }

  it("denies every question, before and after it has noticed, and writes nothing", async () => {
    const { store, old } = await superseded();
    expect(old.head).toBe(1);
    for (let round = 0; round < 2; round += 1) {
      for (const outcome of [
        await old.toolCall(tool()),
        await old.transition({ task: "T1", to: "PLAN", artifacts: {} }),
        await old.behave({ action: "loop" }),
        await old.respond({ text: "done" }),
      ]) {
        expect(outcome).toMatchObject({
          applied: "deny",
          decision: { effect: "deny", code: "engine_absent" },
          events: [],
        });
        expect(outcome.decision.reason).toContain("has taken the run over");
      }
    }
    expect(old.head).toBe(2);
    expect(await typesOf(store)).toEqual(["session_start", "session_resumed"]);
  });

  it("no longer records events, approvals and results", async () => {
    const { store, old } = await superseded();
    const gone = { code: "BYLAW_RUN_SUPERSEDED" };
    for (let round = 0; round < 2; round += 1) {
      await expect(old.record([note()])).rejects.toMatchObject(gone);
      await expect(
        old.approve({ subject: call(), by: "ada", expires_at: LATER }),
      ).rejects.toMatchObject(gone);
      await expect(old.toolResult({ id: "c1", tool: "t", ok: true })).rejects.toMatchObject(gone);
    }
    expect(await typesOf(store)).toEqual(["session_start", "session_resumed"]);
  });

  it("does not record a decision that was in progress", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = pluginOf("slow", ({ hooks }) =>
      hooks.beforeToolCall.tapPromise("t", async () => {
        await promise;
        return undefined;
      }),
    );
    const { store, run: old } = await takenOver({ plugins: [slow, ...permissive] });
    const pending = old.toolCall(tool());
    const keeper = await takeOver(everything, { store });
    resolve();
    expect(await pending).toMatchObject({
      applied: "deny",
      decision: { code: "engine_absent" },
      events: [],
    });
    expect((await keeper.toolCall(tool())).applied).toBe("allow");
    expect(await findings(store)).toEqual([]);
  });

  it("uses up no approval", async () => {
    const asks = { plugins: [] };
    const { store, run: old } = await takenOver(asks);
    await old.approve({ subject: call(), by: "ada", expires_at: LATER });
    const keeper = await takeOver(asks, { store });
    const { hook: _, ...question } = call();
    expect((await old.toolCall(question)).applied).toBe("deny");
    expect((await keeper.toolCall(question)).decision).toMatchObject({
      effect: "allow",
      code: "approved",
    });
  });

  it("reads the other session's events once, however often it is asked", async () => {
    const memory = createMemoryStore();
    let read = 0;
    const counting: Store = {
      ...memory,
      commit: (commit) =>
        memory.commit({
          ...commit,
          admit: (unseen) => ((read += unseen.length), commit.admit?.(unseen)),
        }),
    };
    const old = await takeOver(everything, { store: counting });
    const keeper = await takeOver(everything, { store: memory });
    await keeper.record(upTo(50).map(() => note()));
    for (let round = 0; round < 5; round += 1)
      expect((await old.toolCall(tool())).applied).toBe("deny");
    expect(read).toBe(51);
  });

  it("becomes current again by opening the run again", async () => {
    const { store, old, keeper } = await superseded();
    const again = await takeOver(everything, { store, session: old.session });
    expect((await again.toolCall(tool())).applied).toBe("allow");
    expect((await keeper.toolCall(tool())).applied).toBe("deny");
    expect(await findings(store)).toEqual([]);
  });
});

describe("a clock", () => {
  const backwards = [
    "2026-01-02T03:04:05.000Z",
    "2026-01-02T03:04:04.000Z",
    "2026-01-02T03:04:06.000Z",
    "2026-01-02T03:00:00.000Z",
  ];

  it("that is set back makes no log run backwards: within one commit, between commits, and in the next session", async () => {
    const { store, run } = await takenOver(everything, { now: clock(...backwards) });
    await run.record([note(), note(), note()]);
    await Promise.all(upTo(5).map((index) => run.toolCall(tool({ agent: `a${index}` }))));
    const next = await takeOver(everything, { store, now: () => "2025-01-01T00:00:00.000Z" });
    await next.record([note()]);
    const times = (await logOf(store)).map(({ timestamp }) => Date.parse(timestamp));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times).size).toBeGreaterThan(1);
    expect(await findings(store)).toEqual([]);
  });

  it("that is behind another process's makes no log run backwards", async () => {
    const store = createMemoryStore();
    let later = NOW;
    const ahead = await open(everything, { store, now: () => later });
    const behind = await open(everything, { store });
    later = LATER;
    await ahead.toolCall(tool());
    await behind.record([note(), note()]);
    later = "2026-03-01T00:00:00Z";
    await ahead.toolCall(tool());
    await behind.toolCall(tool({ agent: "a2" }));
    expect((await logOf(store)).map(({ timestamp }) => timestamp)).toEqual([
      NOW,
      LATER,
      LATER,
      LATER,
      later,
      later,
    ]);
    expect(await findings(store)).toEqual([]);
  });

  it.each([1, 30])(
    "of others that write before every try, %i ms later each time, makes no log run backwards",
    async (step) => {
      const memory = createMemoryStore();
      let at = Date.parse(NOW);
      let rivals = 0;
      const store = afterOpening(memory, async (commit) => {
        const [draft] = commit.events as readonly [LogEvent];
        const last = (await logOf(memory)).at(-1);
        at = Math.max(at + step, Date.parse(last?.timestamp ?? NOW));
        rivals += 1;
        await memory.commit({
          run: commit.run,
          seen: 0,
          events: [{ ...draft, timestamp: new Date(at).toISOString() }],
        });
        return memory.commit(commit);
      });
      const run = await takeOver(everything, { store });
      await run.record([note()]);
      const times = (await logOf(memory)).map(({ timestamp }) => Date.parse(timestamp));
      expect([times.length, times]).toEqual([rivals + 2, times.toSorted((a, b) => a - b)]);
      expect(rivals).toBeGreaterThan(2);
      expect(await findings(memory)).toEqual([]);
    },
  );

  it("that is behind is no reason to repeat a write that may have succeeded", async () => {
    const memory = createMemoryStore();
    const store = afterOpening(memory, async (commit) => {
      const [draft] = commit.events;
      const guessed = { ...draft, sequence: commit.seen + 1, timestamp: LATER } as LogEvent;
      expect(() => commit.admit?.([guessed])).toThrow("Another writer has added an event");
      await memory.commit(commit);
      throw new Error("connection lost");
    });
    const run = await takeOver(everything, { store });
    await expect(run.record([note()])).rejects.toThrow("connection lost");
    expect((await run.toolCall(tool())).applied).toBe("deny");
    expect(await typesOf(store)).toEqual(["session_start", "note", "tool_allowed"]);
  });

  it("that is set back revives no expired approval", async () => {
    let now = NOW;
    const run = await takeOver({}, { now: () => now });
    await run.approve({ subject: call(), by: "ada", expires_at: "2026-01-02T04:00:00.000Z" });
    const { hook: _, ...question } = call();
    now = "2026-01-02T05:00:00.000Z";
    expect((await run.toolCall({ ...question, id: "c2" })).decision.code).toBe("approval_expired");
    now = NOW;
    expect((await run.toolCall(question)).decision).toMatchObject({
      effect: "ask_user",
      code: "approval_expired",
    });
  });
});

describe("a closed run", () => {
  it("denies every question and records nothing", async () => {
    const { store, run } = await takenOver(everything);
    await run.close();
    expect(await run.toolCall(tool())).toMatchObject({
      applied: "deny",
      decision: { code: "engine_absent" },
      events: [],
    });
    await expect(run.record([note()])).rejects.toFailWith("BYLAW_RUN_CLOSED");
    await expect(run.toolResult({ id: "c1", tool: "t", ok: true })).rejects.toFailWith(
      "BYLAW_RUN_CLOSED",
    );
    expect(await typesOf(store)).toEqual(["session_start"]);
    expect(run.view(counter)).toEqual({ session_start: 1 });
  });

  it("has finished its pending work", async () => {
    const run = await takeOver(everything);
    const pending = upTo(10).map(() => run.record([note()]));
    await run.close();
    const recorded: readonly (readonly LogEvent[])[] = await Promise.all(pending);
    expect(recorded.flatMap(sequencesOf).toSorted((a, b) => a - b)).toEqual(upTo(11, 2));
  });
});

it("a failed batch leaves no trace in the next decision", async () => {
  const memory = createMemoryStore();
  const once = pluginOf("once", (kernel) => {
    kernel.projection(counter);
    kernel.guard("one note", (view, { event_type }) =>
      event_type === "note" && (view(counter)["note"] ?? 0) > 0
        ? { rule: "ONE_NOTE", message: "there is a note already" }
        : undefined,
    );
  });
  const config = { plugins: [once, noted, ...permissive] };
  const there = await open(config, { store: memory });
  const store: Store = {
    ...memory,
    async commit(commit) {
      const [draft] = commit.events;
      const aborted = {
        ...draft,
        sequence: commit.seen + 1,
        event_type: "note",
        hash: `sha256:${"f".repeat(64)}`,
      } as LogEvent;
      expect(() => commit.admit?.([aborted])).toThrow("there is a note already");
      await there.toolCall(tool());
      return memory.commit(commit);
    },
  };
  const here = await open(config, { store });
  await here.record([note()]);
  expect(await typesOf(memory)).toEqual(["session_start", "tool_allowed", "note"]);
});

it("a decision is checked against everything that was read while it was made", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const judged: number[] = [];
  const slow = pluginOf("slow", (kernel) => {
    kernel.projection(counter);
    kernel.hooks.beforeToolCall.tapPromise("t", async (subject, view) => {
      judged.push(view(counter)["note"] ?? 0);
      asked.resolve();
      if (subject.tool === "slow") await promise;
      return undefined;
    });
  });
  const allows = voter("allows", "beforeToolCall", () => allow("fine"), { grants: true });
  const run = await takeOver({ plugins: [slow, noted, allows] });
  const pending = run.toolCall(tool({ tool: "slow" }));
  await asked.promise;
  for (let page = 0; page < 30; page += 1) await run.record(upTo(100).map(() => note()));
  resolve();
  expect((await pending).applied).toBe("allow");
  expect(judged).toEqual([0, 3_000]);
});
