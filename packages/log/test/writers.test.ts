import { describe, expect, it } from "vitest";
import { allow, deny } from "@bylaw/kernel";
import { StoreConflict, type Store } from "@bylaw/store";
import { pluginOf } from "@bylaw/testing";
import { createMemoryStore } from "../src/index.ts";
import { forged, voter } from "./kit.ts";
import {
  afterOpening,
  permissive,
  open,
  settled,
  typesOf,
  tool,
  counter,
  noted,
  note,
  opened,
} from "./run-kit.ts";

describe("many calls at once", () => {
  it.each([
    ["one agent", "a1", undefined],
    ["one task", "a1", "T1"],
    ["no named agent", undefined, undefined],
  ])(
    "twenty calls of %s are all decided, and none is denied as `engine_absent`",
    async (_, agent, task) => {
      const run = await open({ plugins: permissive });
      const { agent: __, ...anonymous } = tool();
      const call = {
        ...anonymous,
        ...(agent === undefined ? {} : { agent }),
        ...(task === undefined ? {} : { task }),
      };
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => run.toolCall(call)));
      expect(outcomes.map(({ decision }) => decision.code)).toEqual(
        outcomes.map(() => "rule_allowed"),
      );
    },
  );

  it.each([
    ["one agent", { agent: "a1" }],
    ["one task", { agent: "a1", task: "T1" }],
    ["no named agent", { agent: forged(undefined) }],
  ])("a limit holds however many calls %s makes at once", async (_, who) => {
    const limit = pluginOf(
      "limit",
      (kernel) => {
        kernel.projection(counter);
        kernel.hooks.beforeToolCall.tap("t", (_, view) =>
          (view(counter)["tool_allowed"] ?? 0) < 3
            ? allow("within the limit")
            : deny("Unexpected fourth call"),
        );
      },
      { grants: true },
    );
    const store = createMemoryStore();
    const runs = [
      await open({ plugins: [limit] }, { store }),
      await open({ plugins: [limit] }, { store }),
    ];
    await Promise.all(
      runs.flatMap((run) => Array.from({ length: 6 }, () => run.toolCall(tool(who)))),
    );
    expect((await typesOf(store)).filter((type) => type === "tool_allowed")).toHaveLength(3);
  });

  it("as many agents as the limit permits are allowed when all make their first call at once", async () => {
    const limit = pluginOf(
      "limit",
      (kernel) => {
        kernel.projection(counter);
        kernel.hooks.beforeToolCall.tap("t", (_, view) =>
          (view(counter)["tool_allowed"] ?? 0) < 20 ? allow("within the limit") : deny("Too many"),
        );
      },
      { grants: true },
    );
    const run = await open({ plugins: [limit] });
    const calls = Array.from({ length: 30 }, (_, at) =>
      run.toolCall(tool({ id: `c${at}`, agent: `a${at}`, task: `T${at}` })),
    );
    const codes = (await Promise.all(calls)).map(({ decision }) => decision.code);
    expect(codes.filter((code) => code === "rule_allowed")).toHaveLength(20);
    expect(codes.filter((code) => code === "rule_denied")).toHaveLength(10);
  });

  it("a slow decision is not recorded if what was read meanwhile makes it stale", async () => {
    const store = createMemoryStore();
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const slow = pluginOf("slow", ({ hooks }) =>
      hooks.beforeToolCall.tapPromise("t", async (subject) => {
        if (subject.tool === "slow") await gate;
        return undefined;
      }),
    );
    const onlyInPlan = voter(
      "phases",
      "beforeToolCall",
      ({ task, phase }) =>
        task === undefined || phase === "PLAN"
          ? allow("fine")
          : deny(`Unexpected phase ${String(phase)}`),
      { grants: true },
    );
    const config = {
      plugins: [
        slow,
        onlyInPlan,
        voter("moves", "onTransition", () => allow("fine"), { grants: true }),
      ],
    };
    const [here, there] = [await open(config, { store }), await open(config, { store })];
    await here.transition({ task: "T1", to: "PLAN", artifacts: {} });
    const pending = here.toolCall(tool({ task: "T1", tool: "slow" }));
    await settled();
    await there.transition({ task: "T1", to: "DONE", artifacts: {} });
    // Another agent's call makes this run read the transition while the slow call still waits.
    expect((await here.toolCall(tool({ agent: "a2" }))).applied).toBe("allow");
    release();
    expect((await pending).applied).toBe("deny");
    expect(await typesOf(store)).toEqual([
      "session_start",
      "phase_entered",
      "phase_entered",
      "tool_allowed",
      "tool_denied",
    ]);
  });
});

describe("a guard", () => {
  const once = pluginOf("once", (kernel) => {
    kernel.projection(counter);
    kernel.guard("one note", (view, { event_type }) =>
      event_type === "note" && (view(counter)["note"] ?? 0) > 0
        ? { rule: "ONE_NOTE", message: "there is a note already" }
        : undefined,
    );
  });

  it("checks each event after those before it, all or nothing", async () => {
    const { store, run } = await opened({ plugins: [noted, once] });
    await expect(run.record([note(), note()])).rejects.toFailWith("BYLAW_EVENT_REFUSED");
    expect(await typesOf(store)).toEqual(["session_start"]);
    await run.record([note()]);
    expect(run.head).toBe(2);
  });

  it("sees the log as it is in the commit, not as this run last read it", async () => {
    const store = createMemoryStore();
    const runs = await Promise.all(
      [1, 2, 3].map(() => open({ plugins: [noted, once] }, { store })),
    );
    const results = await Promise.allSettled(runs.map((run) => run.record([note()])));
    expect(results.map(({ status }) => status).toSorted()).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    expect(await typesOf(store)).toEqual(["session_start", "note"]);
  });

  it.each([
    ["refuses", () => ({ rule: "NEVER", message: "not now" })],
    [
      "breaks",
      () => {
        throw new Error("guard broke");
      },
    ],
  ])("that %s the event of a decision turns it into a deny", async (_, guard) => {
    const store = createMemoryStore();
    const guarded = pluginOf("guarded", (kernel) =>
      kernel.guard("g", (_, { event_type }) =>
        event_type === "session_start" ? undefined : guard(),
      ),
    );
    const run = await open({ plugins: [...permissive, guarded] }, { store });
    expect(await run.toolCall(tool())).toMatchObject({
      decision: { effect: "deny", code: "engine_absent" },
      applied: "deny",
      events: [],
    });
    expect(await run.transition({ task: "T1", to: "PLAN", artifacts: {} })).toMatchObject({
      applied: "deny",
    });
    expect(await typesOf(store)).toEqual(["session_start"]);
  });
});

describe("a store", () => {
  it("that fails denies every question, and says why", async () => {
    const store = afterOpening(createMemoryStore(), async () => {
      throw new Error("disk full");
    });
    const run = await open({ plugins: permissive }, { store });
    for (const outcome of [
      await run.toolCall(tool()),
      await run.transition({ task: "T1", to: "PLAN", artifacts: {} }),
      await run.behave({ action: "loop" }),
      await run.respond({ text: "done" }),
    ]) {
      expect(outcome).toMatchObject({
        decision: { effect: "deny", code: "engine_absent" },
        applied: "deny",
        events: [],
      });
      expect(outcome.decision.reason).toContain("disk full");
    }
  });

  it("that always conflicts is retried a limited number of times, then the call is denied", async () => {
    let commits = 0;
    const store = afterOpening(createMemoryStore(), async () => {
      commits += 1;
      throw new StoreConflict("seen", "Unexpected event");
    });
    const run = await open({ plugins: permissive }, { store });
    expect(await run.toolCall(tool())).toMatchObject({
      decision: { code: "engine_absent" },
      applied: "deny",
    });
    expect(commits).toBeGreaterThan(1);
    expect(commits).toBeLessThan(100);
  });

  it("that fails is not retried, because an unconfirmed write may have succeeded", async () => {
    const memory = createMemoryStore();
    const store = afterOpening(memory, async (commit) => {
      await memory.commit(commit);
      throw new Error("connection lost");
    });
    const run = await open({ plugins: permissive }, { store });
    expect(await run.toolCall(tool())).toMatchObject({
      decision: { code: "engine_absent" },
      applied: "deny",
    });
    expect(await typesOf(store)).toEqual(["session_start", "tool_allowed"]);
  });

  it("that fails still only denies, call after call, even if its failure cannot be reported", async () => {
    let opened = false;
    const memory = createMemoryStore();
    const store: Store = {
      ...afterOpening(memory, async () => {
        throw new StoreConflict("seen", "Unexpected event");
      }),
      events: async (run, after, limit) => {
        if (opened) throw new Error("disk gone");
        return memory.events(run, after, limit);
      },
    };
    const onError = (): never => {
      throw new Error("no log to write to");
    };
    const run = await open({ plugins: permissive }, { store, onError });
    opened = true;
    for (let time = 0; time < 2; time += 1) {
      expect(await run.toolCall(tool())).toMatchObject({
        decision: { code: "engine_absent" },
        applied: "deny",
      });
    }
  });

  it.each(["permissive", "advisory"] as const)(
    "that fails is not softened in %s mode",
    async (enforcement_mode) => {
      const store = afterOpening(createMemoryStore(), async () => {
        throw new Error("disk full");
      });
      const run = await open({ plugins: permissive, enforcement_mode }, { store });
      expect((await run.toolCall(tool())).applied).toBe("deny");
    },
  );
});
