import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { addTasks, conflicts, logOf, take, claimFree, upTo, write, type Group } from "./kit.ts";

export const taskFences: Group = {
  "is written under the fence of its claim and no other": async ({ store }) => {
    await addTasks(store, 1);
    const { run, task, fence } = await claimFree(store);
    const set = { state: "claimed", phase: "TDD", owner: "a1" } as const;
    const advance = (given: number) => write(store, { run, task: { id: task, fence: given, set } });
    const { length } = await logOf(store, run);
    for (const wrong of [0, 2, -1]) await conflicts(advance(wrong), "fence");
    equal((await logOf(store, run)).length, length);
    await advance(fence);
    await advance(fence);
    equal((await logOf(store, run)).length, length + 2);
  },

  "can have its fence checked without a change": async ({ store }) => {
    await addTasks(store, 1);
    const { run, task: id, fence } = await claimFree(store);
    await write(store, { run, task: { id, fence } });
    await conflicts(write(store, { run, task: { id, fence: 0 } }), "fence");
    await conflicts(write(store, { run, task: { id: "nobody's", fence: 1 } }), "fence");
    equal(await take(store, "a2"), undefined);
  },

  "is created once: creating it again is a conflict": async ({ store }) => {
    const create = (run: string) =>
      write(store, { run, task: { id: "T1", fence: 0, set: { state: "available", queue: "q" } } });
    const results = await Promise.allSettled(upTo(6).map((n) => create(`r${n}`)));
    equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    await conflicts(create("r9"), "fence");
    const runs = await Promise.all(upTo(9).map((n) => logOf(store, `r${n}`)));
    equal(runs.flat().length, 1);
  },

  "that was never claimed cannot be written without a claim": async ({ store }) => {
    await addTasks(store, 1);
    await conflicts(
      write(store, { run: "r0", task: { id: "q-0", fence: 0, set: { state: "done" } } }),
      "fence",
    );
    equal((await claimFree(store)).task, "q-0");
  },

  "can be claimed by another agent once it is given back": async ({ store }) => {
    await addTasks(store, 1);
    const { run, task, fence } = await claimFree(store);
    await write(store, {
      run,
      task: { id: task, fence, set: { state: "available", owner: null } },
    });
    const second = await claimFree(store, "a2");
    equal([second.task, second.phase], [task, "PLAN"]);
    ok(second.fence > fence);
    await conflicts(write(store, { run, task: { id: task, fence } }), "fence");
  },
};
