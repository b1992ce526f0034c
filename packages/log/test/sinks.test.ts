import { describe, expect, it } from "vitest";
import { ask, deny, type LogEvent, type Sink, type Verdict } from "@bylaw/kernel";
import { StoreConflict } from "@bylaw/store";
import { createMemoryStore, type LogReader, type SinkWriter } from "../src/index.ts";
import { voter } from "./kit.ts";
import {
  afterOpening,
  counter,
  counts,
  logOf,
  open,
  sequencesOf,
  settled,
  sinkOf,
  takeOver,
  tool,
  typesOf,
  upTo,
  withSinks,
} from "./run-kit.ts";

type Answer = Verdict | readonly Verdict[] | undefined;

describe("a sink", () => {
  const begins = ({ event_type }: LogEvent): boolean => event_type === "session_start";
  // Not at the opening, because that would fail.
  const broken = async (events: readonly LogEvent[]): Promise<void> => {
    if (!events.some(begins)) throw new Error("disk full");
  };

  it("gets every event after its commit, with the state after it", async () => {
    const told: unknown[] = [];
    const store = createMemoryStore();
    const sink = sinkOf({
      write: async (events, view) => {
        told.push([sequencesOf(events), view(counter), (await logOf(store)).length]);
      },
    });
    const run = await open({ plugins: [counts, ...withSinks(sink)] }, { store });
    await run.toolCall(tool());
    await run.toolCall(tool());
    expect(told).toEqual([
      [[1], { session_start: 1 }, 1],
      [[2], { session_start: 1, tool_allowed: 1 }, 2],
      [[3], { session_start: 1, tool_allowed: 2 }, 3],
    ]);
  });

  it("that is required and fails with a conflict of its own store makes no event be written twice", async () => {
    const store = createMemoryStore();
    const write = async (events: readonly LogEvent[]): Promise<void> => {
      if (!events.some(begins)) throw new StoreConflict("document", "Unexpected version");
    };
    const run = await open({ plugins: withSinks(sinkOf({ write })) }, { store });
    expect(await run.toolCall(tool())).toMatchObject({
      decision: { code: "engine_absent" },
      applied: "deny",
    });
    expect(await typesOf(store)).toEqual(["session_start", "tool_allowed"]);
  });

  it.each([
    [
      "at once",
      (events: readonly LogEvent[]) => {
        if (!events.some(begins)) throw new Error("disk full");
      },
    ],
    ["later", broken],
  ])("that is optional and fails %s is reported, and changes nothing", async (_, write) => {
    const errors: unknown[] = [];
    const run = await open(
      { plugins: withSinks(sinkOf({ required: false, write })) },
      { onError: (error) => errors.push(error) },
    );
    expect((await run.toolCall(tool())).applied).toBe("allow");
    await settled();
    expect(errors).toMatchObject([{ message: "disk full" }]);
  });

  it("that fails does not affect other sinks", async () => {
    const told: number[] = [];
    const listens = sinkOf({
      name: "b",
      write: (events) => void told.push(...sequencesOf(events)),
    });
    const failing = sinkOf({ name: "a", write: broken });
    const run = await open({ plugins: withSinks(failing, listens) });
    await run.toolCall(tool());
    expect(told).toEqual([1, 2]);
  });

  it("gets no past events, even if a session is opened again under its own name", async () => {
    const store = createMemoryStore();
    const told: number[] = [];
    const plugins = withSinks(
      sinkOf({ write: (events) => void told.push(...sequencesOf(events)) }),
    );
    const session = "6f0f6a2e-5a0f-4b43-9d0e-0b8c8f3f0a01";
    await (await takeOver({ plugins }, { store, session })).toolCall(tool());
    const again = await takeOver({ plugins }, { store, session });
    await again.toolCall(tool());
    expect(told).toEqual([1, 2, 3]);
  });

  it("gets every event of its own run once, and none of another session", async () => {
    const store = createMemoryStore();
    const told: Record<string, number[]> = { left: [], right: [], before: [] };
    const listens = (name: string) =>
      withSinks(sinkOf({ name, write: (events) => void told[name]?.push(...sequencesOf(events)) }));
    const before = await open({ plugins: listens("before") }, { store });
    await before.toolCall(tool());
    const left = await takeOver({ plugins: listens("left") }, { store });
    const right = await open({ plugins: listens("right") }, { store });
    const outcomes = await Promise.all(
      upTo(10).map((index) =>
        (index % 2 === 1 ? left : right).toolCall(tool({ agent: `a${index}` })),
      ),
    );
    const own = (side: number): readonly number[] =>
      outcomes.flatMap(({ events }, index) => (index % 2 === side ? sequencesOf(events) : []));
    // It reads the other session's events, and is denied.
    expect((await before.toolCall(tool())).applied).toBe("deny");
    expect(before.head).toBeGreaterThan(2);
    expect(told["before"]).toEqual([1, 2]);
    expect(told["left"]).toEqual(expect.arrayContaining([3, ...own(0)]));
    expect(told["right"]).toEqual(expect.arrayContaining([...own(1)]));
    for (const all of [told["left"] ?? [], told["right"] ?? []]) {
      expect(all).toEqual([...new Set(all)].toSorted((a, b) => a - b));
      expect(Math.min(...all)).toBeGreaterThan(2);
    }
  });

  it("may be an object with a state of its own", async () => {
    class Lines implements Sink {
      readonly name = "lines";
      readonly required = true;
      readonly lines: string[] = [];
      closed = 0;
      open(log: LogReader): SinkWriter {
        this.lines.push(log.run);
        return new Line(this);
      }
    }
    class Line implements SinkWriter {
      readonly #lines: Lines;
      constructor(lines: Lines) {
        this.#lines = lines;
      }
      write(events: readonly LogEvent[]): void {
        for (const event of events) this.#lines.lines.push(event.event_type);
      }
      close(): void {
        this.#lines.closed += 1;
      }
    }
    const lines = new Lines();
    const run = await open({ plugins: withSinks(lines) });
    expect((await run.toolCall(tool())).applied).toBe("allow");
    await run.close();
    await run.close();
    expect(lines).toMatchObject({ lines: ["r1", "session_start", "tool_allowed"], closed: 1 });
  });

  it("gets the events of one run in the order of the log", async () => {
    const memory = createMemoryStore();
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    // The first commit is durable first and answered last, as may happen with two connections.
    let commits = 0;
    const store = afterOpening(memory, async (commit) => {
      const first = commits++ === 0;
      const receipt = await memory.commit(commit);
      if (first) await gate;
      return receipt;
    });
    const told: number[] = [];
    const sink = sinkOf({
      required: false,
      write: (events) => void told.push(...sequencesOf(events)),
    });
    const run = await open({ plugins: withSinks(sink) }, { store });
    const slow = run.toolCall(tool({ agent: "a1" }));
    const quick = run.toolCall(tool({ agent: "a2" }));
    await settled();
    release();
    await Promise.all([slow, quick]);
    await settled();
    expect(told).toEqual([1, 2, 3]);
  });
});

describe("an enforcement mode in a run", () => {
  const outcomes = async (
    enforcement_mode: "strict" | "permissive" | "advisory",
    answer: () => Answer,
  ) => {
    const run = await open({ plugins: [voter("v", "beforeToolCall", answer)], enforcement_mode });
    const { decision, applied, events } = await run.toolCall(tool());
    const recorded = JSON.parse(JSON.stringify(events[0]?.details["decision"])) as {
      effect: string;
      applied: string;
    };
    return [decision.effect, applied, events[0]?.event_type, recorded.effect, recorded.applied];
  };

  it("records the decision and the applied effect", async () => {
    expect(await outcomes("strict", () => deny("no"))).toEqual([
      "deny",
      "deny",
      "tool_denied",
      "deny",
      "deny",
    ]);
    expect(await outcomes("permissive", () => deny("no"))).toEqual([
      "deny",
      "allow",
      "tool_allowed",
      "deny",
      "allow",
    ]);
    expect(await outcomes("advisory", () => ask("may I"))).toEqual([
      "ask_user",
      "allow",
      "tool_allowed",
      "ask_user",
      "allow",
    ]);
  });

  it("does not soften a failed check", async () => {
    const fails = (): Answer => {
      throw new Error("broke");
    };
    expect(await outcomes("permissive", fails)).toEqual([
      "deny",
      "deny",
      "tool_denied",
      "deny",
      "deny",
    ]);
  });
});
