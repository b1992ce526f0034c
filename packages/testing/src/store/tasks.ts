import { deepStrictEqual as equal, notEqual, ok } from "node:assert/strict";
import { BylawError } from "@bylaw/kernel";
import { addTasks, conflicts, draft, failureOf, logOf, sweep, take, took, upTo, write, type Group } from "./kit.ts";

/** What any store promises about who holds a task. */
export const tasks: Group = (test) => {
  test("is claimed by nobody twice: thirty claimers, twenty tasks", async ({ store }) => {
    await addTasks(store, 20);
    const claims = await Promise.all(upTo(30).map((n) => take(store, `a${n}`)));
    const held = claims.filter((claim) => claim !== undefined);
    equal(held.length, 20);
    equal(new Set(held.map(({ task }) => task)).size, 20);
    ok(held.every(({ fence }) => fence === 1));
    equal(await take(store, "late"), undefined);
  });

  test("is claimed from its own queue, with its run, phase and the end of the lease", async ({ store, clock }) => {
    await addTasks(store, 1, "reviews");
    equal(await take(store), undefined);
    const { event, ...claim } = await took(store, "a1", { queue: "reviews", lease_ms: 1_000 });
    const lease_until = new Date(clock.now() + 1_000).toISOString();
    equal(claim, { task: "reviews-0", run: "r0", phase: "PLAN", fence: 1, lease_until });
    equal(event, (await logOf(store, "r0"))[1]);
  });

  test("without a phase is claimed without one", async ({ store }) => {
    await write(store, { task: { id: "T1", fence: 0, set: { state: "available", queue: "q" } } });
    equal("phase" in (await took(store)), false);
  });

  test("is claimed once under one request id, also when eight ask at the same time", async ({ store }) => {
    await addTasks(store, 5);
    const claims = await Promise.all(upTo(8).map(() => took(store, "a1", { request_id: "q1" })));
    equal(new Set(claims.map((claim) => JSON.stringify(claim))).size, 1);
    equal(claims[0], await took(store, "a1", { request_id: "q1" }));
    const other = await took(store, "a2", { request_id: "q1" });
    notEqual(other.task, claims[0]?.task);
    const rest = await Promise.all(upTo(5).map((n) => take(store, `b${n}`)));
    equal(rest.filter((claim) => claim !== undefined).length, 3);
  });

  test("is not claimed for a time that is none", async ({ store }) => {
    await addTasks(store, 1);
    for (const lease_ms of [0, -1, 0.5, Number.NaN, Infinity]) {
      ok((await failureOf(take(store, "a1", { lease_ms }))) instanceof BylawError);
    }
    equal((await logOf(store, "r0")).length, 1);
    equal((await took(store)).fence, 1);
  });

  test("is written under the fence of its claim, and under no other", async ({ store }) => {
    await addTasks(store, 1);
    const { run, task, fence } = await took(store);
    const set = { state: "claimed", phase: "TDD", owner: "a1" } as const;
    const advance = (given: number) => write(store, { run, task: { id: task, fence: given, set } });
    const { length } = await logOf(store, run);
    for (const wrong of [0, 2, -1]) await conflicts(advance(wrong), "fence");
    equal((await logOf(store, run)).length, length);
    await advance(fence);
    await advance(fence);
    equal((await logOf(store, run)).length, length + 2);
  });

  test("may have its fence checked without a change", async ({ store }) => {
    await addTasks(store, 1);
    const { run, task: id, fence } = await took(store);
    await write(store, { run, task: { id, fence } });
    await conflicts(write(store, { run, task: { id, fence: 0 } }), "fence");
    await conflicts(write(store, { run, task: { id: "nobody's", fence: 1 } }), "fence");
    equal(await take(store, "a2"), undefined);
  });

  test("is created once: who creates it again learns that it is there", async ({ store }) => {
    const create = (run: string) => write(store, { run, task: { id: "T1", fence: 0, set: { state: "available", queue: "q" } } });
    const results = await Promise.allSettled(upTo(6).map((n) => create(`r${n}`)));
    equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    await conflicts(create("r9"), "fence");
    const runs = await Promise.all(upTo(9).map((n) => logOf(store, `r${n}`)));
    equal(runs.flat().length, 1);
  });

  test("that was never claimed is not written by somebody without a claim", async ({ store }) => {
    await addTasks(store, 1);
    await conflicts(write(store, { run: "r0", task: { id: "q-0", fence: 0, set: { state: "done" } } }), "fence");
    equal((await took(store)).task, "q-0");
  });

  test("is claimed again when its lease has ended, and then the first owner writes nothing", async ({ store, clock }) => {
    await addTasks(store, 1);
    const first = await took(store, "a1", { lease_ms: 1_000 });
    clock.advance(999);
    equal(await take(store, "a2"), undefined);
    clock.advance(1);
    const second = await took(store, "a2", { lease_ms: 1_000 });
    equal(second.task, first.task);
    ok(second.fence > first.fence);
    const finish = (fence: number) =>
      write(store, { run: first.run, events: [draft({ event_type: "done" })], task: { id: first.task, fence, set: { state: "done" } } });
    await conflicts(finish(first.fence), "fence");
    await finish(second.fence);
    clock.advance(5_000);
    equal(await take(store, "a3"), undefined);
    equal((await logOf(store, first.run)).filter(({ event_type }) => event_type === "done").length, 1);
  });

  test("that many claim when its lease has ended goes to one", async ({ store, clock }) => {
    await addTasks(store, 1);
    await took(store, "a1", { lease_ms: 1_000 });
    clock.advance(1_000);
    const claims = await Promise.all(upTo(10).map((n) => take(store, `b${n}`)));
    equal(claims.filter((claim) => claim !== undefined).length, 1);
  });

  test("is freed by a sweep when its lease has ended, and the first owner's fence with it", async ({ store, clock }) => {
    await addTasks(store, 3);
    const claims = await Promise.all(upTo(3).map((n) => took(store, `a${n}`, { lease_ms: 1_000 })));
    equal(await sweep(store), 0);
    clock.advance(1_000);
    equal(await sweep(store), 3);
    equal(await sweep(store), 0);
    for (const { run, task, fence } of claims) {
      await conflicts(write(store, { run, task: { id: task, fence, set: { state: "done" } } }), "fence");
      await conflicts(write(store, { run, task: { id: task, fence } }), "fence");
    }
    const again = await Promise.all(upTo(4).map((n) => take(store, `b${n}`)));
    equal(again.filter((claim) => claim !== undefined).length, 3);
  });

  test("that is given back may be claimed by another", async ({ store }) => {
    await addTasks(store, 1);
    const { run, task, fence } = await took(store);
    await write(store, { run, task: { id: task, fence, set: { state: "available", owner: null } } });
    const second = await took(store, "a2");
    equal([second.task, second.phase], [task, "PLAN"]);
    ok(second.fence > fence);
    await conflicts(write(store, { run, task: { id: task, fence } }), "fence");
  });

  test("that is done or failed is claimed no more", async ({ store, clock }) => {
    await addTasks(store, 2);
    for (const state of ["done", "failed"] as const) {
      const { run, task, fence } = await took(store, "a1", { lease_ms: 1_000 });
      await write(store, { run, task: { id: task, fence, set: { state } } });
    }
    clock.advance(10_000);
    equal([await take(store), await sweep(store)], [undefined, 0]);
  });
};
