import { type Config } from "@bylaw/kernel";
import { pluginOf } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import {
  defineExperiment,
  variantOf,
  type Experiment,
  type Variant,
} from "../src/state/experiment.ts";
import { createMemoryStore, type Run } from "../src/index.ts";
import { logOf, open, permissive, takeOver, tool, typesOf, upTo, opened } from "./run-kit.ts";

const digests = { a: "sha256:a", b: "sha256:b" };
const withShare = (share: number, name = "fewer-asks"): [Experiment, Config] => {
  const experiment = defineExperiment({ name, share, digests });
  const declares = pluginOf("experiment", (kernel) => kernel.projection(experiment));
  return [experiment, { plugins: [...permissive, declares] }];
};
const [ALWAYS, IN_B] = withShare(1);
const [NEVER, IN_A] = withShare(0);
const of = (run: Run, experiment: Experiment, task?: string): Variant | undefined =>
  variantOf(run.view, experiment, task);

describe("an experiment", () => {
  test("assigns a task before its first decision, and records what each version decides by", async () => {
    const { store, run } = await opened(IN_B);
    await run.toolCall(tool({ task: "t1" }));
    await run.toolCall(tool({ task: "t1", id: "c2" }));
    expect(await typesOf(store)).toEqual([
      ...["session_start", "experiment_assigned", "tool_allowed", "tool_allowed"],
    ]);
    expect((await logOf(store))[1]).toMatchObject({
      ...{ task_id: "t1", agent_id: null },
      details: { experiment: "fewer-asks", variant: "b", share: 1, digests },
    });
    expect(of(run, ALWAYS, "t1")).toBe("b");
    expect(of(run, ALWAYS, "t2")).toBeUndefined();
  });

  test("assigns a task that begins with a transition, but none for a response or a behavior", async () => {
    const { store, run } = await opened(IN_B);
    await run.respond({ text: "done", agent: "a1" });
    await run.behave({ action: "continue", agent: "a1" });
    expect(await typesOf(store)).not.toContain("experiment_assigned");
    await run.transition({ task: "t1", to: "PLAN", artifacts: {}, agent: "a1" });
    expect(of(run, ALWAYS, "t1")).toBe("b");
  });

  test("assigns the run once for everything that belongs to no task", async () => {
    const { store, run } = await opened(IN_B);
    const agents = ["ann", "bob", "cyd"].map((agent) => run.toolCall({ ...tool(), agent }));
    await Promise.all(agents);
    const types = await typesOf(store);
    expect(types.filter((type) => type === "experiment_assigned")).toHaveLength(1);
    expect(types).toHaveLength(5);
    expect(of(run, ALWAYS)).toBe("b");
  });

  test("keeps the recorded version in a later session, whatever the share is then", async () => {
    const store = createMemoryStore();
    await (await open(IN_B, { store })).toolCall(tool({ task: "t1" }));
    const later = await takeOver(IN_A, { store });
    await later.toolCall(tool({ task: "t1", id: "c2" }));
    await later.toolCall(tool({ task: "t2", id: "c3" }));
    expect([of(later, NEVER, "t1"), of(later, NEVER, "t2")]).toEqual(["b", "a"]);
  });

  test("keeps it over a snapshot, and assigns anew under another name", async () => {
    const { store, run } = await opened(IN_B);
    for (const number of upTo(1_100)) await run.toolCall(tool({ task: "t1", id: `c${number}` }));
    expect(await store.get("snapshot", "r1")).toBeDefined();
    expect(of(await open(IN_A, { store }), NEVER, "t1")).toBe("b");
    const [other, renamed] = withShare(0, "other");
    const next = await open(renamed, { store });
    await next.toolCall(tool({ task: "t1", id: "last" }));
    expect(of(next, other, "t1")).toBe("a");
  });

  test("gives all processes of a run one version, however they race", async () => {
    const store = createMemoryStore();
    const runs = await Promise.all(
      [IN_A, IN_B, IN_A, IN_B].map((config) => open(config, { store })),
    );
    const tasks = upTo(20).map((number) => `t${number}`);
    await Promise.all(
      tasks.flatMap((task) =>
        runs.map((run, at) => run.toolCall({ ...tool({ task }), id: `${task}-${at}` })),
      ),
    );
    const events = await logOf(store);
    const assigned = events.filter(({ event_type }) => event_type === "experiment_assigned");
    expect(assigned).toHaveLength(tasks.length);
    expect(new Set(assigned.map(({ task_id }) => task_id))).toEqual(new Set(tasks));
    expect(events.filter(({ event_type }) => event_type === "tool_allowed")).toHaveLength(80);
    for (const run of runs) await run.catchUp();
    for (const { task_id, details } of assigned)
      expect(runs.map((run, at) => of(run, at % 2 === 0 ? NEVER : ALWAYS, task_id ?? ""))).toEqual(
        runs.map(() => details["variant"]),
      );
  });

  test("draws about the share of tasks", async () => {
    const [experiment, config] = withShare(0.25);
    const run = await open(config, { store: createMemoryStore() });
    const tasks = upTo(400).map((number) => `t${number}`);
    await Promise.all(tasks.map((task) => run.toolCall({ ...tool({ task }), id: task })));
    const inB = tasks.filter((task) => of(run, experiment, task) === "b").length;
    // Fewer than one in a million draws falls outside of these.
    expect(inB).toBeGreaterThan(55);
    expect(inB).toBeLessThan(148);
  });

  test("is recorded by the run alone", async () => {
    const run = await open(IN_A, { store: createMemoryStore() });
    const details = { experiment: "fewer-asks", variant: "b", share: 1, digests };
    await expect(
      run.record([{ event_type: "experiment_assigned", agent_id: null, task_id: "t1", details }]),
    ).rejects.toMatchObject({
      code: "BYLAW_EVENT_INVALID",
      message: "`experiment_assigned` is recorded by the run itself",
    });
    await run.toolCall(tool({ task: "t1" }));
    expect(of(run, NEVER, "t1")).toBe("a");
  });

  test("denies a call whose version cannot be recorded", async () => {
    const store = createMemoryStore();
    let broken = false;
    const run = await open(IN_B, {
      store: {
        ...store,
        commit: (one) => (broken ? Promise.reject(new Error("disk full")) : store.commit(one)),
      },
    });
    broken = true;
    const { decision, applied } = await run.toolCall(tool({ task: "t1" }));
    expect([applied, decision.code]).toEqual(["deny", "engine_absent"]);
    expect(await typesOf(store)).toEqual(["session_start"]);
  });
});
