import { describe, expect, it } from "vitest";
import { type Claim } from "@bylaw/kernel";
import { addTasks, draft, expectConflict, upTo, type Using } from "./store-kit.ts";

/** What any store promises about its tasks. */
export function describeTasks(name: string, using: Using): void {
  describe(`a task of ${name}`, () => {
    it(
      "is claimed by nobody twice: thirty claimers, twenty tasks",
      using(async (store) => {
        await addTasks(store, 20);
        const claims = await Promise.all(upTo(30).map((n) => store.claim({ queue: "q", agent: `a${n}`, lease_ms: 60_000 })));
        const held = claims.filter((claim) => claim !== undefined);
        expect(held).toHaveLength(20);
        expect(new Set(held.map(({ task }) => task)).size).toBe(20);
        expect(held.every(({ fence }) => fence === 1)).toBe(true);
        expect(await store.claim({ queue: "q", agent: "late", lease_ms: 1 })).toBeUndefined();
      }),
    );

    it(
      "is claimed from its own queue, with its run, phase and the end of the lease",
      using(async (store, clock) => {
        await addTasks(store, 1, "reviews");
        expect(await store.claim({ queue: "q", agent: "a1", lease_ms: 1_000 })).toBeUndefined();
        expect(await store.claim({ queue: "reviews", agent: "a1", lease_ms: 1_000 })).toEqual({
          task: "reviews-0",
          run: "r0",
          phase: "PLAN",
          fence: 1,
          lease_until: new Date(clock.now() + 1_000).toISOString(),
        });
      }),
    );

    it(
      "is claimed once under one request id, also when asked at the same time",
      using(async (store) => {
        await addTasks(store, 5);
        const request = { queue: "q", agent: "a1", lease_ms: 60_000, request_id: "q1" };
        const claims = await Promise.all(upTo(4).map(() => store.claim(request)));
        expect(new Set(claims.map((claim) => JSON.stringify(claim))).size).toBe(1);
        const other = await store.claim({ ...request, agent: "a2" });
        expect(other?.task).not.toBe(claims[0]?.task);
        const rest = await Promise.all(upTo(5).map((n) => store.claim({ queue: "q", agent: `b${n}`, lease_ms: 60_000 })));
        expect(rest.filter((claim) => claim !== undefined)).toHaveLength(3);
      }),
    );

    it(
      "is written under the fence of its claim, and under no other",
      using(async (store) => {
        await addTasks(store, 1);
        const claim = (await store.claim({ queue: "q", agent: "a1", lease_ms: 60_000 })) as Claim;
        const write = (fence: number) =>
          store.commit({
            run: claim.run,
            seen: 1,
            events: [draft()],
            task: { id: claim.task, fence, set: { state: "claimed", phase: "TDD", owner: "a1" } },
          });
        for (const fence of [0, 2, -1]) await expectConflict(write(fence), "fence");
        expect(await store.events(claim.run, 1, 10)).toEqual([]);
        await write(claim.fence);
        await write(claim.fence);
        expect(await store.events(claim.run, 1, 10)).toHaveLength(2);
      }),
    );

    it(
      "may have its fence checked without a change",
      using(async (store) => {
        await addTasks(store, 1);
        const claim = (await store.claim({ queue: "q", agent: "a1", lease_ms: 60_000 })) as Claim;
        await store.commit({ run: claim.run, seen: 1, events: [draft()], task: { id: claim.task, fence: claim.fence } });
        await expectConflict(store.commit({ run: claim.run, seen: 2, events: [draft()], task: { id: claim.task, fence: 0 } }), "fence");
        expect(await store.claim({ queue: "q", agent: "a2", lease_ms: 1 })).toBeUndefined();
      }),
    );

    it(
      "is created once: who creates it again learns that it is there",
      using(async (store) => {
        const create = (run: string) =>
          store.commit({ run, seen: 0, events: [draft()], task: { id: "T1", fence: 0, set: { state: "available", queue: "q" } } });
        await create("r1");
        await expectConflict(create("r2"), "fence");
        expect(await store.events("r2", 0, 10)).toEqual([]);
      }),
    );

    it(
      "that was never claimed is not written by somebody without a claim",
      using(async (store) => {
        await addTasks(store, 1);
        const finish = store.commit({ run: "r0", seen: 1, events: [draft()], task: { id: "q-0", fence: 0, set: { state: "done" } } });
        await expectConflict(finish, "fence");
        expect((await store.claim({ queue: "q", agent: "a1", lease_ms: 1_000 }))?.task).toBe("q-0");
      }),
    );

    it(
      "is claimed again when its lease has ended, and then the first owner writes nothing",
      using(async (store, clock) => {
        await addTasks(store, 1);
        const first = (await store.claim({ queue: "q", agent: "a1", lease_ms: 1_000 })) as Claim;
        clock.advance(999);
        expect(await store.claim({ queue: "q", agent: "a2", lease_ms: 1_000 })).toBeUndefined();
        clock.advance(1);
        const second = (await store.claim({ queue: "q", agent: "a2", lease_ms: 1_000 })) as Claim;
        expect(second.task).toBe(first.task);
        expect(second.fence).toBeGreaterThan(first.fence);
        const task = { id: first.task, set: { state: "done" } } as const;
        await expectConflict(store.commit({ run: first.run, seen: 1, events: [draft()], task: { ...task, fence: first.fence } }), "fence");
        await store.commit({ run: second.run, seen: 1, events: [draft()], task: { ...task, fence: second.fence } });
        clock.advance(5_000);
        expect(await store.claim({ queue: "q", agent: "a3", lease_ms: 1_000 })).toBeUndefined();
      }),
    );

    it(
      "is freed by a sweep when its lease has ended, and the first owner's fence with it",
      using(async (store, clock) => {
        await addTasks(store, 3);
        const claims = await Promise.all(upTo(3).map((n) => store.claim({ queue: "q", agent: `a${n}`, lease_ms: 1_000 })));
        expect(await store.sweep()).toBe(0);
        clock.advance(1_000);
        expect(await store.sweep()).toBe(3);
        expect(await store.sweep()).toBe(0);
        const [old] = claims as readonly Claim[];
        const stale = store.commit({
          run: old?.run ?? "",
          seen: 1,
          events: [draft()],
          task: { id: old?.task ?? "", fence: old?.fence ?? 0, set: { state: "done" } },
        });
        await expectConflict(stale, "fence");
        const again = await Promise.all(upTo(4).map((n) => store.claim({ queue: "q", agent: `b${n}`, lease_ms: 1_000 })));
        expect(again.filter((claim) => claim !== undefined)).toHaveLength(3);
      }),
    );

    it(
      "that is given back may be claimed by another",
      using(async (store) => {
        await addTasks(store, 1);
        const first = (await store.claim({ queue: "q", agent: "a1", lease_ms: 60_000 })) as Claim;
        const set = { state: "available", owner: null } as const;
        await store.commit({ run: first.run, seen: 1, events: [draft()], task: { id: first.task, fence: first.fence, set } });
        const second = await store.claim({ queue: "q", agent: "a2", lease_ms: 60_000 });
        expect(second).toMatchObject({ task: first.task, phase: "PLAN" });
        expect(second?.fence).toBeGreaterThan(first.fence);
      }),
    );
  });
}
