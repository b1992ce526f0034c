import { describe, expect, it } from "vitest";
import { StoreConflict, ask, deny, type Answer, type LogEvent, type Plugin, type Sink, type Store } from "@bylaw/kernel";
import { createMemoryStore } from "../src/index.ts";
import { plugin, voter } from "./kit.ts";
import { permissive, open, logOf, tool, counter, counts } from "./run-kit.ts";

describe("a sink", () => {
  const withSinks = (...sinks: readonly Sink[]): readonly Plugin[] => [
    ...permissive,
    plugin("sinks", (kernel) => sinks.forEach((sink) => kernel.sink(sink))),
  ];
  const broken = async (): Promise<void> => {
    throw new Error("disk full");
  };

  it("is told of every event after its commit, with the state that follows", async () => {
    const told: unknown[] = [];
    const store = createMemoryStore();
    const sink: Sink = {
      name: "s",
      required: true,
      write: async (events, view) => {
        told.push([events.map(({ sequence }) => sequence), view(counter), (await logOf(store)).length]);
      },
    };
    const run = await open({ plugins: [counts, ...withSinks(sink)] }, { store });
    await run.toolCall(tool());
    await run.toolCall(tool());
    expect(told).toEqual([
      [[1], { tool_allowed: 1 }, 1],
      [[2], { tool_allowed: 2 }, 2],
    ]);
  });

  it("that is required and fails denies the call that caused it", async () => {
    const run = await open({ plugins: withSinks({ name: "s", required: true, write: broken }) });
    expect(await run.toolCall(tool())).toMatchObject({ decision: { effect: "deny", code: "engine_absent" }, applied: "deny" });
  });

  it("that is required and fails with a conflict of its own store writes no event twice", async () => {
    const store = createMemoryStore();
    const write = async (): Promise<void> => {
      throw new StoreConflict("document", "Unexpected version");
    };
    const run = await open({ plugins: withSinks({ name: "s", required: true, write }) }, { store });
    expect(await run.toolCall(tool())).toMatchObject({ decision: { code: "engine_absent" }, applied: "deny" });
    expect(await logOf(store)).toHaveLength(1);
  });

  it.each([
    [
      "at once",
      () => {
        throw new Error("disk full");
      },
    ],
    ["later", broken],
  ])("that is not required and fails %s is reported, and changes nothing", async (_, write) => {
    const errors: unknown[] = [];
    const run = await open({ plugins: withSinks({ name: "s", write }) }, { onError: (error) => errors.push(error) });
    expect((await run.toolCall(tool())).applied).toBe("allow");
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toMatchObject([{ message: "disk full" }]);
  });

  it("that is not required and never ends holds nobody up", { timeout: 5_000 }, async () => {
    const run = await open({ plugins: withSinks({ name: "s", write: () => new Promise(() => {}) }) });
    expect((await run.toolCall(tool())).applied).toBe("allow");
    expect((await run.toolCall(tool())).applied).toBe("allow");
  });

  it("that fails keeps no other sink from being told", async () => {
    const told: number[] = [];
    const listens: Sink = { name: "b", required: true, write: (events) => void told.push(events.length) };
    const failing: Sink = { name: "a", required: true, write: broken };
    const run = await open({ plugins: withSinks(failing, listens) });
    await run.toolCall(tool());
    expect(told).toEqual([1]);
  });

  it("is told nothing of the past, not even when a sitting is taken up again under its own name", async () => {
    const store = createMemoryStore();
    const told: number[] = [];
    const plugins = withSinks({ name: "s", required: true, write: (events) => void told.push(...events.map(({ sequence }) => sequence)) });
    const session = "6f0f6a2e-5a0f-4b43-9d0e-0b8c8f3f0a01";
    await (await open({ plugins }, { store, session })).toolCall(tool());
    const again = await open({ plugins }, { store, session });
    await again.toolCall(tool());
    expect(told).toEqual([1, 2]);
  });

  it("of a run is told only what that run wrote, each event once", async () => {
    const store = createMemoryStore();
    const told: Record<string, number[]> = { left: [], right: [] };
    const listens = (name: string) =>
      withSinks({ name, required: true, write: (events) => void told[name]?.push(...events.map(({ sequence }) => sequence)) });
    const left = await open({ plugins: listens("left") }, { store });
    const right = await open({ plugins: listens("right") }, { store });
    await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? left : right).toolCall(tool({ agent: `a${index}` }))));
    const all = [...(told["left"] ?? []), ...(told["right"] ?? [])];
    expect(told["left"]).toHaveLength(5);
    expect(all.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("may be an object with a state of its own", async () => {
    class Lines implements Sink {
      readonly name = "lines";
      readonly required = true;
      readonly lines: string[] = [];
      closed = false;
      write(events: readonly LogEvent[]): void {
        for (const event of events) this.lines.push(event.event_type);
      }
      close(): void {
        this.closed = true;
      }
    }
    const lines = new Lines();
    const run = await open({ plugins: withSinks(lines) });
    expect((await run.toolCall(tool())).applied).toBe("allow");
    await run.close();
    expect(lines).toMatchObject({ lines: ["tool_allowed"], closed: true });
  });

  it("hears of the events of one run in the order of the log", async () => {
    const memory = createMemoryStore();
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    // The first commit is durable first and answers last, as two connections may.
    let commits = 0;
    const store: Store = {
      ...memory,
      commit: async (commit) => {
        const first = commits++ === 0;
        const receipt = await memory.commit(commit);
        if (first) await gate;
        return receipt;
      },
    };
    const told: number[] = [];
    const sink: Sink = { name: "s", write: (events) => void told.push(...events.map(({ sequence }) => sequence)) };
    const run = await open({ plugins: withSinks(sink) }, { store });
    const slow = run.toolCall(tool({ agent: "a1" }));
    const quick = run.toolCall(tool({ agent: "a2" }));
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await Promise.all([slow, quick]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([1, 2]);
  });
});

describe("an enforcement mode in a run", () => {
  const outcomes = async (enforcement_mode: "strict" | "permissive" | "advisory", answer: () => Answer) => {
    const run = await open({ plugins: [voter("v", "beforeToolCall", answer)], enforcement_mode });
    const { decision, applied, events } = await run.toolCall(tool());
    const recorded = JSON.parse(JSON.stringify(events[0]?.details["decision"])) as { effect: string; applied: string };
    return [decision.effect, applied, events[0]?.event_type, recorded.effect, recorded.applied];
  };

  it("records the verdict, and what happened", async () => {
    expect(await outcomes("strict", () => deny("no"))).toEqual(["deny", "deny", "tool_denied", "deny", "deny"]);
    expect(await outcomes("permissive", () => deny("no"))).toEqual(["deny", "allow", "tool_allowed", "deny", "allow"]);
    expect(await outcomes("advisory", () => ask("may I"))).toEqual(["ask_user", "allow", "tool_allowed", "ask_user", "allow"]);
  });

  it("does not soften a failed check", async () => {
    const fails = (): Answer => {
      throw new Error("broke");
    };
    expect(await outcomes("permissive", fails)).toEqual(["deny", "deny", "tool_denied", "deny", "deny"]);
  });
});
