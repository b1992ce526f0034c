import { describe, expect, it } from "vitest";
import { createKernel, defineProjection, type LogEvent, type Sink } from "@bylaw/kernel";
import { StoreConflict, type Store } from "@bylaw/store";
import { pluginOf } from "@bylaw/testing";
import { createMemoryStore, openRun, type LogReader } from "../src/index.ts";
import {
  afterOpening,
  counter,
  counts,
  logOf,
  note,
  noted,
  open,
  permissive,
  sequencesOf,
  settled,
  sinkOf,
  takeOver,
  tool,
  typesOf,
  upTo,
  withSinks,
  takenOver,
} from "./run-kit.ts";

/** Holds work back until it is released. */
function gate(): { readonly passed: Promise<void>; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, release: resolve };
}
const begins = (events: readonly LogEvent[]): boolean =>
  events.some(({ event_type }) => event_type === "session_start");

describe("opening a sink", () => {
  it("happens once for each run, with a reader of its log, before anything new is recorded", async () => {
    const store = createMemoryStore();
    await (await takeOver({ plugins: permissive }, { store })).toolCall(tool());
    const opened: unknown[] = [];
    let reader: LogReader | undefined;
    const sink: Sink = {
      name: "s",
      required: true,
      async open(log) {
        reader = log;
        opened.push([
          log.run,
          sequencesOf(await log.events(0, 10)),
          sequencesOf(await log.events(1, 10)),
          sequencesOf(await log.events(0, 1)),
        ]);
        return { write: () => {} };
      },
    };
    const config = { plugins: withSinks(sink) };
    const run = await takeOver(config, { store });
    await run.toolCall(tool());
    expect(opened).toEqual([["r1", [1, 2], [2], [1]]]);
    expect(reader?.session).toBe(run.session);
    expect(sequencesOf((await reader?.events(2, 10)) ?? [])).toEqual([3, 4]);
    const other = await takeOver(config, { store, run: "r2" });
    expect(opened).toHaveLength(2);
    expect(reader).toMatchObject({ run: "r2", session: other.session });
  });

  it("gives it the session that the run joins", async () => {
    const { store, run: keeper } = await takenOver({ plugins: permissive });
    const sessions: string[] = [];
    const openSink: Sink["open"] = ({ session }) => {
      sessions.push(session);
      return { write: () => {} };
    };
    await open({ plugins: withSinks({ name: "s", open: openSink }) }, { store });
    expect(sessions).toEqual([keeper.session]);
  });

  it("fails the run if the sink is required: nothing is written, and open sinks are closed", async () => {
    const store = createMemoryStore();
    const closed: string[] = [];
    const opens = (name: string, required: boolean): Sink =>
      sinkOf({ name, required, write: () => {}, close: () => void closed.push(name) });
    const fails: Sink = {
      name: "fails",
      required: true,
      open: async () => {
        throw new Error("read-only folder");
      },
    };
    const never: Sink = {
      name: "never",
      open: () => {
        throw new Error("Unexpected opening after a failure");
      },
    };
    const errors: unknown[] = [];
    const failing = takeOver(
      { plugins: withSinks(opens("a", true), opens("b", false), fails, never) },
      { store, onError: (error) => errors.push(error) },
    );
    await expect(failing).rejects.toThrow("read-only folder");
    expect(closed).toEqual(["a", "b"]);
    expect(errors).toEqual([]);
    expect(await logOf(store)).toEqual([]);
  });

  it("may fail if the sink is optional: that is reported, and the others work", async () => {
    const errors: unknown[] = [];
    const told: number[] = [];
    const fails: Sink = {
      name: "fails",
      open: () => {
        throw new Error("no such host");
      },
    };
    const plugins = withSinks(
      fails,
      sinkOf({ write: (events) => void told.push(...sequencesOf(events)) }),
    );
    const run = await takeOver({ plugins }, { onError: (error) => errors.push(error) });
    expect((await run.toolCall(tool())).applied).toBe("allow");
    await run.close();
    expect(told).toEqual([1, 2]);
    expect(errors).toMatchObject([{ message: "no such host" }]);
  });

  it("fails the run if it takes too long, and a sink that opens later is closed", async () => {
    const { passed, release } = gate();
    const closed = gate();
    const slow: Sink = {
      name: "slow",
      required: true,
      open: async () => {
        await passed;
        return { write: () => {}, close: () => closed.release() };
      },
    };
    await expect(takeOver({ plugins: withSinks(slow), deadline_ms: 20 })).rejects.toThrow(
      "within 20 ms",
    );
    release();
    await closed.passed;
  });

  it("fails the run if the sink cannot write the first event: the sinks are closed, and the next opening resumes", async () => {
    const store = createMemoryStore();
    let closed = 0;
    let full = true;
    const sink = sinkOf({
      write: () => {
        if (full) throw new Error("disk full");
      },
      close: () => void (closed += 1),
    });
    await expect(takeOver({ plugins: withSinks(sink) }, { store })).rejects.toThrow("disk full");
    expect(closed).toBe(1);
    full = false;
    expect(
      (await (await takeOver({ plugins: withSinks(sink) }, { store })).toolCall(tool())).applied,
    ).toBe("allow");
    expect(await typesOf(store)).toEqual(["session_start", "session_resumed", "tool_allowed"]);
  });
});

describe("a sink", () => {
  it("gets all events that came while it wrote in one batch: in order, each once, with the state after it", async () => {
    const { passed, release } = gate();
    const batches: (readonly number[])[] = [];
    const states: unknown[] = [];
    let writing = 0;
    const sink = sinkOf({
      async write(events, view) {
        writing += 1;
        expect(writing).toBe(1);
        batches.push(sequencesOf(events));
        states.push([events.at(-1)?.sequence, view(counter)["tool_allowed"] ?? 0]);
        if (batches.length === 2) await passed;
        await settled();
        writing -= 1;
      },
    });
    const run = await takeOver({ plugins: [counts, ...withSinks(sink)] });
    const calls = upTo(40).map((index) => run.toolCall(tool({ agent: `a${index}` })));
    await settled();
    release();
    expect((await Promise.all(calls)).map(({ applied }) => applied)).toEqual(
      calls.map(() => "allow"),
    );
    expect(batches.flat()).toEqual(upTo(41));
    expect(batches.length).toBeLessThan(10);
    expect(states).toEqual(
      states.map((_, index) => [batches[index]?.at(-1), (batches[index]?.at(-1) ?? 0) - 1]),
    );
  });

  it("makes every call wait for the write that includes its event", async () => {
    const gates = [gate(), gate(), gate()];
    let writes = 0;
    const sink = sinkOf({ write: async () => gates[writes++]?.passed });
    const opening = takeOver({ plugins: withSinks(sink) });
    gates[0]?.release();
    const run = await opening;
    const done: string[] = [];
    const first = run.toolCall(tool({ agent: "a1" })).then(() => done.push("first"));
    await settled();
    const second = run.toolCall(tool({ agent: "a2" })).then(() => done.push("second"));
    await settled();
    expect(done).toEqual([]);
    gates[1]?.release();
    await first;
    await settled();
    expect(done).toEqual(["first"]);
    gates[2]?.release();
    await second;
    expect(done).toEqual(["first", "second"]);
  });

  it("that fails denies only the calls of that batch, each once", async () => {
    let writes = 0;
    const errors: unknown[] = [];
    const sink = sinkOf({
      write: async () => {
        writes += 1;
        if (writes === 2) throw new Error("disk full");
      },
    });
    const run = await takeOver(
      { plugins: withSinks(sink) },
      { onError: (error) => errors.push(error) },
    );
    const outcomes = [await run.toolCall(tool()), await run.toolCall(tool())];
    expect(outcomes.map(({ applied }) => applied)).toEqual(["deny", "allow"]);
    expect(outcomes[0]).toMatchObject({
      decision: { code: "engine_absent" },
      events: [{ event_type: "tool_allowed" }],
    });
    await run.close();
    expect(errors).toEqual([]);
  });

  it("that fails for a call's event denies the call, even if the run read the event before its commit was answered", async () => {
    const memory = createMemoryStore();
    const { passed, release } = gate();
    let commits = 0;
    const store = afterOpening(memory, async (commit) => {
      const first = commits++ === 0;
      const receipt = await memory.commit(commit);
      if (first) await passed;
      return receipt;
    });
    const sink = sinkOf({
      write: (events) => {
        if (events.some(({ agent_id }) => agent_id === "a1")) throw new Error("disk full");
      },
    });
    const run = await takeOver({ plugins: withSinks(sink) }, { store });
    const slow = run.toolCall(tool({ agent: "a1" }));
    const quick = run.toolCall(tool({ agent: "a2" }));
    await quick;
    await settled();
    release();
    expect(await slow).toMatchObject({ applied: "deny", decision: { code: "engine_absent" } });
  });

  it("that fails for an event of another process in the session denies no call, and is reported", async () => {
    const store = createMemoryStore();
    const errors: unknown[] = [];
    const told: number[] = [];
    const sink = sinkOf({
      write: (events) => {
        told.push(...sequencesOf(events));
        if (events.some(({ agent_id }) => agent_id === "other")) throw new Error("disk full");
      },
    });
    const here = await open(
      { plugins: withSinks(sink) },
      { store, onError: (error) => errors.push(error) },
    );
    const there = await open({ plugins: permissive }, { store });
    await there.toolCall(tool({ agent: "other" }));
    const outcomes = [
      await here.toolCall(tool({ agent: "a1" })),
      await here.toolCall(tool({ agent: "a1" })),
    ];
    expect(outcomes.map(({ applied }) => applied)).toEqual(["allow", "allow"]);
    expect(errors).toMatchObject([{ message: "disk full" }]);
    expect(told).toEqual([1, 2, 3, 4]);
  });

  it("that fails for an event of another process during a call is reported when the call is done", async () => {
    const memory = createMemoryStore();
    const { passed, release } = gate();
    let commits = 0;
    const store = afterOpening(memory, async (commit) => {
      if (commits++ === 0) await passed;
      return memory.commit(commit);
    });
    const errors: unknown[] = [];
    const sink = sinkOf({
      write: (events) => {
        if (events.some(({ agent_id }) => agent_id === "other")) throw new Error("disk full");
      },
    });
    const here = await open(
      { plugins: withSinks(sink) },
      { store, onError: (error) => errors.push(error) },
    );
    const there = await open({ plugins: permissive }, { store: memory });
    const slow = here.toolCall(tool({ agent: "a1" }));
    await settled();
    await there.toolCall(tool({ agent: "other" }));
    expect((await here.toolCall(tool({ agent: "a2" }))).applied).toBe("allow");
    await settled();
    release();
    expect((await slow).applied).toBe("allow");
    expect(errors).toMatchObject([{ message: "disk full" }]);
  });

  it("that misses the deadline denies the call, and the run continues when it answers", async () => {
    const { passed, release } = gate();
    const told: number[] = [];
    const sink = sinkOf({
      async write(events) {
        told.push(...sequencesOf(events));
        if (told.length === 2) await passed;
      },
    });
    const run = await takeOver({ plugins: withSinks(sink), deadline_ms: 30 });
    const late = await run.toolCall(tool());
    expect(late).toMatchObject({ applied: "deny", decision: { code: "engine_absent" } });
    expect(late.decision.reason).toContain("within 30 ms");
    release();
    await settled();
    expect((await run.toolCall(tool())).applied).toBe("allow");
    expect(told).toEqual([1, 2, 3]);
  });

  it("gets more events in one commit than a function call can have arguments", async () => {
    const store: Store = createMemoryStore();
    let told = 0;
    const run = await takeOver(
      {
        plugins: [noted, ...withSinks(sinkOf({ write: (events) => void (told += events.length) }))],
      },
      { store },
    );
    await run.record(Array.from({ length: 130_000 }, () => note()));
    expect(told).toBe(130_001);
  });

  it("that does not keep up has a bounded backlog, and missing events are reported once", async () => {
    const errors: unknown[] = [];
    const stuck = sinkOf({ required: false, write: () => new Promise(() => {}) });
    const run = await takeOver(
      { plugins: [noted, ...withSinks(stuck)] },
      { onError: (error) => errors.push(error) },
    );
    await settled();
    for (let page = 0; page < 7; page += 1)
      await run.record(Array.from({ length: 10_000 }, () => note()));
    await settled();
    expect(errors.length).toBe(1);
    expect(String(errors[0])).toContain("does not keep up");
  });
});

describe("closing a run", () => {
  it("waits for current writes, and closes each sink once, never while it writes", async () => {
    const { passed, release } = gate();
    const steps: string[] = [];
    const sink = sinkOf({
      async write(events) {
        if (begins(events)) return;
        steps.push("writing");
        await passed;
        steps.push("written");
      },
      close: () => void steps.push("closed"),
    });
    const run = await takeOver({ plugins: withSinks(sink) });
    const call = run.toolCall(tool());
    await settled();
    const closing = [run.close(), run.close()];
    await settled();
    expect(steps).toEqual(["writing"]);
    release();
    await Promise.all(closing);
    expect((await call).applied).toBe("allow");
    expect(steps).toEqual(["writing", "written", "closed"]);
  });

  it("waits for commits that are not answered yet, and for their sinks", async () => {
    const memory = createMemoryStore();
    const { passed, release } = gate();
    const store = afterOpening(memory, async (commit) => {
      await passed;
      return memory.commit(commit);
    });
    const steps: string[] = [];
    const sink = sinkOf({
      write: (events) => void steps.push(...events.map(({ event_type }) => event_type)),
      close: () => void steps.push("closed"),
    });
    const run = await takeOver({ plugins: withSinks(sink) }, { store });
    const call = run.toolCall(tool());
    await settled();
    const closing = run.close();
    await settled();
    release();
    await closing;
    expect((await call).applied).toBe("allow");
    expect(steps).toEqual(["session_start", "tool_allowed", "closed"]);
  });

  it("sends nothing to a closed sink", async () => {
    const memory = createMemoryStore();
    const { passed, release } = gate();
    const store = afterOpening(memory, async () => {
      await passed;
      throw new StoreConflict("seen", "Unexpected event");
    });
    const steps: string[] = [];
    const sink = sinkOf({
      write: (events) => void steps.push(...events.map(({ event_type }) => event_type)),
      close: () => void steps.push("closed"),
    });
    const run = await open({ plugins: withSinks(sink) }, { store });
    const call = run.toolCall(tool());
    await settled();
    const closing = run.close();
    await (await open({ plugins: permissive }, { store: memory })).toolCall(tool());
    release();
    await closing;
    expect(await call).toMatchObject({ applied: "deny", decision: { code: "engine_absent" } });
    expect(run.head).toBe(2);
    await settled();
    expect(steps).toEqual(["session_start", "closed"]);
  });

  it("closes the others if one fails, and throws if a required one fails", async () => {
    const closed: string[] = [];
    const errors: unknown[] = [];
    const failing = (name: string, required: boolean): Sink =>
      sinkOf({
        name,
        required,
        write: () => {},
        close: () => {
          throw new Error(`${name} is broken`);
        },
      });
    const fine = sinkOf({ name: "fine", write: () => {}, close: () => void closed.push("fine") });
    const plugins = withSinks(failing("a", false), failing("b", true), fine);
    const run = await takeOver({ plugins }, { onError: (error) => errors.push(error) });
    await expect(run.close()).rejects.toThrow("b is broken");
    expect(closed).toEqual(["fine"]);
    expect(errors).toMatchObject([{ message: "a is broken" }]);
  });

  it("does not end the process if its failure cannot be reported either", async () => {
    const reports: unknown[] = [];
    const sink = sinkOf({
      required: false,
      write: () => {
        throw new Error("disk full");
      },
    });
    const onError = async (error: unknown): Promise<void> => {
      reports.push(error);
      await Promise.reject(new Error("no log to write to"));
    };
    const run = await takeOver({ plugins: withSinks(sink) }, { onError });
    expect((await run.toolCall(tool())).applied).toBe("allow");
    await run.close();
    expect(reports).toContainEqual(expect.objectContaining({ message: "disk full" }));
  });

  it("does not wait for ever for a busy sink, which is closed when it is done", async () => {
    const { passed, release } = gate();
    const closed = gate();
    const sink = sinkOf({ required: false, write: () => passed, close: () => closed.release() });
    const errors: unknown[] = [];
    const run = await takeOver(
      { plugins: withSinks(sink), deadline_ms: 20 },
      { onError: (error) => errors.push(error) },
    );
    await run.close();
    expect(errors).toHaveLength(1);
    release();
    await closed.passed;
  });
});

it("a long run reads nothing back, and calls the store once for each call", async () => {
  const memory = createMemoryStore();
  let reads = 0;
  let commits = 0;
  let unseen = 0;
  const store: Store = {
    ...memory,
    events: (...of) => ((reads += 1), memory.events(...of)),
    commit(commit) {
      commits += 1;
      return memory.commit({
        ...commit,
        admit: (events) => ((unseen += events.length), commit.admit?.(events)),
      });
    },
  };
  const lengths: number[] = [];
  const order = defineProjection<number>({
    name: "demo/last",
    version: 1,
    initial: 0,
    reduce: (_, { sequence }) => sequence,
  });
  const told: number[] = [];
  const plugins = [
    pluginOf("order", (kernel) => kernel.projection(order)),
    ...withSinks(sinkOf({ write: (events) => void told.push(events.length) })),
  ];
  const run = await openRun(createKernel({ plugins }), { run: "r1", store });
  const before = reads;
  for (let index = 0; index < 3_000; index += 1) {
    await run.toolCall(tool({ agent: `a${index % 7}` }));
    if (index % 1_000 === 0) lengths.push(run.view(order));
  }
  expect(lengths).toEqual([2, 1_002, 2_002]);
  expect({ reads: reads - before, commits, unseen }).toEqual({
    reads: 0,
    commits: 3_001,
    unseen: 0,
  });
  expect(told).toEqual(upTo(3_001).map(() => 1));
});
