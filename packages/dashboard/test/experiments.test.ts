import { COMPLETED_PHASE } from "@bylaw/contract";
import type { EventDraft, Json } from "@bylaw/kernel";
import { createMemoryStore } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { assert, asyncProperty, integer } from "fast-check";
import { describe, expect, it } from "vitest";
import { Experiments, FoundExperiments, RunTasks, type ExperimentSource } from "../src/index.ts";

const draft = (event_type: string, task_id: string, details: Json = {}): EventDraft => ({
  ...{ timestamp: "2026-11-28T10:00:00.000Z", event_type, agent_id: "ann", task_id },
  ...{ session_id: "11111111-1111-4111-8111-111111111111", details: details as never },
});

/** What is recorded about tasks of which every second one gets version `b`, with a blocked transition each. */
const tasksOf = (name: string, tasks: number): readonly EventDraft[] =>
  Array.from({ length: tasks }, (_, at) => `${name}${at}`).flatMap((task, at) => [
    draft("task_claimed", task),
    draft("experiment_assigned", task, {
      ...{ experiment: "fewer-asks", variant: at % 2 === 0 ? "a" : "b" },
      digests: { a: "sha256:a", b: "sha256:b" },
    }),
    draft("transition_blocked", task),
    draft("phase_entered", task, { to: COMPLETED_PHASE }),
  ]);

const write = async (store: Store, run: string, events: readonly EventDraft[]): Promise<void> =>
  void (await store.commit({ run, seen: 0, events: [...events] }));

/** The runs of a store, with their numbers of events. */
const sourceOf = (store: Store, heads: ReadonlyMap<string, number>): ExperimentSource => ({
  events: (...of) => store.events(...of),
  runs: async () => [...heads].map(([run, head]) => ({ run, head })),
});

async function makeStore(tasks: number) {
  const store = createMemoryStore();
  const heads = new Map<string, number>();
  const add = async (run: string, count = tasks): Promise<void> => {
    const before = heads.get(run) ?? 0;
    await write(store, run, tasksOf(`${run}-${before}-`, count));
    heads.delete(run);
    heads.set(run, before + 4 * count);
  };
  return { source: sourceOf(store, heads), heads, add };
}

/** A clock by which comparing takes no time. */
const noTime = (): number => 0;

describe("Experiments", () => {
  it("compares what all runs have, the same however often it reads meanwhile", async () => {
    await assert(
      asyncProperty(
        integer({ min: 1, max: 30 }),
        integer({ min: 1, max: 30 }),
        async (one, two) => {
          const { source, heads, add } = await makeStore(one);
          const growing = new Experiments(source, { time: noTime });
          await add("r1");
          await growing.read();
          await add("r2", two);
          await growing.read();
          await add("r1", two);
          const seen = await growing.read();
          expect(seen).toEqual(await new Experiments(source).read());
          const found = new FoundExperiments();
          for (const [run, head] of heads) {
            const tasks = new RunTasks({ found });
            for (const event of await source.events(run, 0, head)) tasks.add(event);
          }
          expect(seen.experiments).toEqual(await found.compare());
        },
      ),
      { numRuns: 10 },
    );
  });

  it("reads at most 20,000 events for a request, and compares nothing before it has read all", async () => {
    const { source, add } = await makeStore(6_000);
    await add("r1");
    const experiments = new Experiments(source);
    const first = await experiments.read();
    expect(first).toMatchObject({
      ...{ events: { read: 20_000, all: 24_000 }, experiments: null },
    });
    expect(await experiments.read()).toMatchObject({
      ...{ events: { read: 24_000, all: 24_000 }, broken: [], most_tasks: null },
      experiments: [{ experiment: "fewer-asks", tasks: { a: 3_000, b: 3_000 } }],
    });
  });

  it("reads once for requests that come at the same time", async () => {
    const { source, add } = await makeStore(10);
    await add("r1");
    let reads = 0;
    const experiments = new Experiments({
      ...source,
      events: (...of) => ((reads += 1), source.events(...of)),
    });
    const [one, two] = await Promise.all([experiments.read(), experiments.read()]);
    expect(one).toBe(two);
    expect(reads).toBe(1);
    await experiments.read();
    expect(reads).toBe(1);
  });

  it("spends at most a tenth of the time on comparing", async () => {
    const { source, add } = await makeStore(10);
    let time = 0;
    // Each look at the clock is a second later, so a comparison takes a second.
    const experiments = new Experiments(source, { time: () => (time += 1_000) });
    const tasks = async (): Promise<unknown> => (await experiments.read()).experiments?.[0]?.tasks;
    await add("r1");
    expect(await tasks()).toEqual({ a: 5, b: 5 });
    await add("r2");
    expect(await tasks()).toEqual({ a: 5, b: 5 });
    time += 10_000;
    expect(await tasks()).toEqual({ a: 10, b: 10 });
  });

  it("counts the latest runs and tasks, says so, and counts no run twice", async () => {
    const { source, add } = await makeStore(10);
    const experiments = new Experiments(source, { runs: 2, tasks: 12, time: noTime });
    for (const run of ["r1", "r2", "r3"]) await add(run);
    expect(await experiments.read()).toMatchObject({
      ...{ runs: { counted: 2, all: 3 }, most_tasks: null },
      experiments: [{ tasks: { a: 10, b: 10 } }],
    });
    await add("r4");
    expect(await experiments.read()).toMatchObject({
      ...{ runs: { counted: 2, all: 4 }, most_tasks: 12 },
      experiments: [{ tasks: { a: 12, b: 12 } }],
    });
    // The run counted before, so its tasks are known already.
    await add("r2", 1);
    expect(await experiments.read()).toMatchObject({
      ...{ runs: { counted: 1, all: 4 } },
      experiments: [{ tasks: { a: 12, b: 12 } }],
    });
  });

  it("says which run cannot be read, and counts the others", async () => {
    const { source, add } = await makeStore(10);
    for (const run of ["r1", "r2"]) await add(run);
    const experiments = new Experiments({
      ...source,
      events(run, ...of) {
        if (run === "r1") throw new SyntaxError("not JSON");
        return source.events(run, ...of);
      },
    });
    expect(await experiments.read()).toMatchObject({
      broken: ["A row after event 0 of run `r1` is not an event."],
      experiments: [{ tasks: { a: 5, b: 5 } }],
    });
    const offline = new Experiments({
      ...source,
      events: () => Promise.reject(new Error("The store is offline")),
    });
    await expect(offline.read()).rejects.toThrow("The store is offline");
  });
});
