import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { BylawError } from "@bylaw/kernel";
import {
  addTasks,
  conflicts,
  draft,
  failureOf,
  logOf,
  sweepLeases,
  take,
  claimFree,
  upTo,
  write,
  type Group,
} from "./kit.ts";

/** What happens to a task whose lease has ended. */
export const expiredLeases: Group = {
  "can be claimed again after its lease ends, and the first owner can no longer write it": async ({
    store,
    clock,
  }) => {
    await addTasks(store, 1);
    const first = await claimFree(store, "a1", { lease_ms: 1_000 });
    clock.advance(999);
    equal(await take(store, "a2"), undefined);
    clock.advance(1);
    const second = await claimFree(store, "a2", { lease_ms: 1_000 });
    equal(second.task, first.task);
    ok(second.fence > first.fence);
    const finish = (fence: number) =>
      write(store, {
        run: first.run,
        events: [draft({ event_type: "done" })],
        task: { id: first.task, fence, set: { state: "done" } },
      });
    await conflicts(finish(first.fence), "fence");
    await finish(second.fence);
    clock.advance(5_000);
    equal(await take(store, "a3"), undefined);
    equal(
      (await logOf(store, first.run)).filter(({ event_type }) => event_type === "done").length,
      1,
    );
  },

  "goes to one of many claimers when its lease ends": async ({ store, clock }) => {
    await addTasks(store, 1);
    await claimFree(store, "a1", { lease_ms: 1_000 });
    clock.advance(1_000);
    const claims = await Promise.all(upTo(10).map((n) => take(store, `b${n}`)));
    equal(claims.filter((claim) => claim !== undefined).length, 1);
  },
};

export const sweptLeases: Group = {
  "is not freed by a sweep that records no event, even after its lease ends": async ({
    store,
    clock,
  }) => {
    await addTasks(store, 1);
    const { fence } = await claimFree(store, "a1", { lease_ms: 1_000 });
    const expires_at = new Date(clock.now() + 1_000).toISOString();
    await write(store, { run: "r0", documents: [{ kind: "k", id: "d", value: "v", expires_at }] });
    clock.advance(1_000);
    const before = (await logOf(store, "r0")).length;
    equal([await store.sweep(), await store.sweep()], [1, 0]);
    equal((await logOf(store, "r0")).length, before);
    equal((await claimFree(store, "a2")).fence, fence + 1);
  },

  "is freed by a sweep after its lease ends, which also voids the owner's fence": async ({
    store,
    clock,
  }) => {
    await addTasks(store, 3);
    const claims = await Promise.all(
      upTo(3).map((n) => claimFree(store, `a${n}`, { lease_ms: 1_000 })),
    );
    equal(await sweepLeases(store), 0);
    clock.advance(1_000);
    equal(await sweepLeases(store), 3);
    equal(await sweepLeases(store), 0);
    for (const { run, task, fence } of claims) {
      await conflicts(
        write(store, { run, task: { id: task, fence, set: { state: "done" } } }),
        "fence",
      );
      await conflicts(write(store, { run, task: { id: task, fence } }), "fence");
    }
    const again = await Promise.all(upTo(4).map((n) => take(store, `b${n}`)));
    equal(again.filter((claim) => claim !== undefined).length, 3);
  },
};

export const leaseRenewals: Group = {
  "keeps its owner while the lease is renewed": async ({ store, clock }) => {
    await addTasks(store, 1);
    const { run, task: id, fence } = await claimFree(store, "a1", { lease_ms: 1_000 });
    const renew = (lease_ms: number) => write(store, { run, task: { id, fence, lease_ms } });
    for (const _ of upTo(3)) {
      clock.advance(999);
      await renew(1_000);
      equal([await take(store, "a2"), await sweepLeases(store)], [undefined, 0]);
    }
    clock.advance(1_000);
    equal((await claimFree(store, "a2")).fence, fence + 1);
  },

  "never has its lease shortened by a renewal that does not also write its state": async ({
    store,
    clock,
  }) => {
    await addTasks(store, 2);
    const [kept, cut] = [
      await claimFree(store, "a1", { lease_ms: 1_000 }),
      await claimFree(store, "a1", { lease_ms: 1_000 }),
    ];
    await write(store, { run: kept.run, task: { id: kept.task, fence: kept.fence, lease_ms: 10 } });
    await write(store, {
      run: cut.run,
      task: { id: cut.task, fence: cut.fence, lease_ms: 10, set: { state: "claimed" } },
    });
    clock.advance(10);
    equal((await claimFree(store, "a2")).task, cut.task);
    clock.advance(989);
    equal(await take(store, "a2"), undefined);
    clock.advance(1);
    equal((await claimFree(store, "a2")).task, kept.task);
  },

  "has its lease and state written together, and neither under a wrong fence": async ({
    store,
    clock,
  }) => {
    await addTasks(store, 1);
    const { run, task: id, fence } = await claimFree(store, "a1", { lease_ms: 1_000 });
    const set = { state: "claimed", phase: "TDD", owner: "a1" } as const;
    await write(store, { run, task: { id, fence, lease_ms: 2_000, set } });
    await conflicts(
      write(store, { run, task: { id, fence: fence + 1, lease_ms: 60_000 } }),
      "fence",
    );
    clock.advance(1_999);
    equal(await take(store, "a2"), undefined);
    clock.advance(1);
    equal((await claimFree(store, "a2")).phase, "TDD");
    await conflicts(write(store, { run, task: { id, fence, lease_ms: 60_000 } }), "fence");
  },
};

/** Which tasks can have a lease, and how long it may be. */
export const leaseLimits: Group = {
  "has a lease only while it is claimed": async ({ store, clock }) => {
    await addTasks(store, 3);
    for (const state of ["available", "done", "failed"] as const) {
      const { run, task: id, fence } = await claimFree(store, "a1", { lease_ms: 1_000 });
      await write(store, { run, task: { id, fence, set: { state, queue: "elsewhere" } } });
      const { length } = await logOf(store, run);
      await conflicts(write(store, { run, task: { id, fence, lease_ms: 1_000 } }), "fence");
      equal((await logOf(store, run)).length, length);
    }
    clock.advance(60_000);
    equal((await claimFree(store, "a2", { queue: "elsewhere" })).fence, 2);
    equal(await take(store, "a2", { queue: "elsewhere" }), undefined);
  },

  "can be taken back under its fence, and is free again when that lease ends": async ({
    store,
    clock,
  }) => {
    await addTasks(store, 1);
    const { run, task: id, fence } = await claimFree(store, "a1", { lease_ms: 1_000 });
    await write(store, { run, task: { id, fence, set: { state: "available", owner: null } } });
    await write(store, {
      run,
      task: { id, fence, lease_ms: 5_000, set: { state: "claimed", owner: null } },
    });
    clock.advance(4_999);
    equal(await take(store, "a2"), undefined);
    clock.advance(1);
    equal((await claimFree(store, "a2")).fence, fence + 1);
  },

  "is given no lease that is not a positive whole number, nor one without a claim": async ({
    store,
    clock,
  }) => {
    await addTasks(store, 1);
    const { run, task: id, fence } = await claimFree(store, "a1", { lease_ms: 1_000 });
    const { length } = await logOf(store, run);
    for (const lease_ms of [0, -1, 0.5, Number.NaN, Infinity]) {
      ok(
        (await failureOf(write(store, { run, task: { id, fence, lease_ms } }))) instanceof
          BylawError,
      );
    }
    const odd = [
      { id, fence, lease_ms: 60_000, set: { state: "done" } },
      { id: "new", fence: 0, lease_ms: 60_000, set: { state: "claimed" } },
    ] as const;
    for (const task of odd)
      ok((await failureOf(write(store, { run, task }))) instanceof BylawError);
    equal((await logOf(store, run)).length, length);
    clock.advance(1_000);
    equal((await claimFree(store, "a2")).fence, fence + 1);
  },
};
