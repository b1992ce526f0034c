import { deepStrictEqual as equal, notEqual, ok } from "node:assert/strict";
import { BylawError, type Claim, type LogEvent } from "@bylaw/kernel";
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

  test("stays claimed by a sweep that has no event for it, although its lease has ended", async ({ store, clock }) => {
    await addTasks(store, 1);
    const { fence } = await took(store, "a1", { lease_ms: 1_000 });
    const expires_at = new Date(clock.now() + 1_000).toISOString();
    await write(store, { run: "r0", documents: [{ kind: "k", id: "d", value: "v", expires_at }] });
    clock.advance(1_000);
    const before = (await logOf(store, "r0")).length;
    equal([await store.sweep(), await store.sweep()], [1, 0]);
    equal((await logOf(store, "r0")).length, before);
    equal((await took(store, "a2")).fence, fence + 1);
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

  test("keeps its owner as long as the lease is renewed", async ({ store, clock }) => {
    await addTasks(store, 1);
    const { run, task: id, fence } = await took(store, "a1", { lease_ms: 1_000 });
    const renew = (lease_ms: number) => write(store, { run, task: { id, fence, lease_ms } });
    for (const _ of upTo(3)) {
      clock.advance(999);
      await renew(1_000);
      equal([await take(store, "a2"), await sweep(store)], [undefined, 0]);
    }
    await renew(10);
    clock.advance(9);
    equal(await take(store, "a2"), undefined);
    clock.advance(1);
    equal((await took(store, "a2")).fence, fence + 1);
  });

  test("has its lease renewed and its state written at once, and neither where the fence is another", async ({ store, clock }) => {
    await addTasks(store, 1);
    const { run, task: id, fence } = await took(store, "a1", { lease_ms: 1_000 });
    const set = { state: "claimed", phase: "TDD", owner: "a1" } as const;
    await write(store, { run, task: { id, fence, lease_ms: 2_000, set } });
    await conflicts(write(store, { run, task: { id, fence: fence + 1, lease_ms: 60_000 } }), "fence");
    clock.advance(1_999);
    equal(await take(store, "a2"), undefined);
    clock.advance(1);
    equal((await took(store, "a2")).phase, "TDD");
    await conflicts(write(store, { run, task: { id, fence, lease_ms: 60_000 } }), "fence");
  });

  test("has a lease only where it is claimed", async ({ store, clock }) => {
    await addTasks(store, 3);
    for (const state of ["available", "done", "failed"] as const) {
      const { run, task: id, fence } = await took(store, "a1", { lease_ms: 1_000 });
      await write(store, { run, task: { id, fence, set: { state, queue: "elsewhere" } } });
      const { length } = await logOf(store, run);
      await conflicts(write(store, { run, task: { id, fence, lease_ms: 1_000 } }), "fence");
      equal((await logOf(store, run)).length, length);
    }
    clock.advance(60_000);
    equal((await took(store, "a2", { queue: "elsewhere" })).fence, 2);
    equal(await take(store, "a2", { queue: "elsewhere" }), undefined);
  });

  test("is taken back by its fence for a while, and free after that", async ({ store, clock }) => {
    await addTasks(store, 1);
    const { run, task: id, fence } = await took(store, "a1", { lease_ms: 1_000 });
    await write(store, { run, task: { id, fence, set: { state: "available", owner: null } } });
    await write(store, { run, task: { id, fence, lease_ms: 5_000, set: { state: "claimed", owner: null } } });
    clock.advance(4_999);
    equal(await take(store, "a2"), undefined);
    clock.advance(1);
    equal((await took(store, "a2")).fence, fence + 1);
  });

  test("is given no lease that is none", async ({ store, clock }) => {
    await addTasks(store, 1);
    const { run, task: id, fence } = await took(store, "a1", { lease_ms: 1_000 });
    const { length } = await logOf(store, run);
    for (const lease_ms of [0, -1, 0.5, Number.NaN, Infinity]) {
      ok((await failureOf(write(store, { run, task: { id, fence, lease_ms } }))) instanceof BylawError);
    }
    const odd = [
      { id, fence, lease_ms: 60_000, set: { state: "done" } },
      { id: "new", fence: 0, lease_ms: 60_000, set: { state: "claimed" } },
    ] as const;
    for (const task of odd) ok((await failureOf(write(store, { run, task }))) instanceof BylawError);
    equal((await logOf(store, run)).length, length);
    clock.advance(1_000);
    equal((await took(store, "a2")).fence, fence + 1);
  });

  test("is claimed only where the log lets it: the claimer is asked about what it has not read", async ({ store }) => {
    await addTasks(store, 1);
    const run = "r0";
    await write(store, { run, events: [draft({ event_type: "second" })] });
    const asked: unknown[] = [];
    const admit = (unseen: readonly LogEvent[], claim: Omit<Claim, "event">): void => {
      asked.push([unseen.map(({ event_type }) => event_type), claim.task, claim.run, claim.fence]);
      if (unseen.length > 0) throw new Error("not after that");
    };
    for (const seen of [0, 1]) ok(/not after that/.test(String(await failureOf(take(store, "a1", { seen, admit, request_id: "q1" })))));
    equal((await logOf(store, run)).length, 2);
    const first = await took(store, "a1", { seen: 2, admit, request_id: "q1" });
    equal(asked.at(-1), [[], "q-0", run, 1]);
    equal(asked.at(0), [["note", "second"], "q-0", run, 1]);
    const { length } = asked;
    equal([await took(store, "a1", { seen: 0, admit, request_id: "q1" }), asked.length], [first, length]);
    equal(await take(store, "a2", { admit }), undefined);
    equal(asked.length, length);
  });

  test("is claimed with an answer that comes at once", async ({ store }) => {
    await addTasks(store, 1);
    const later = (async () => {}) as unknown as () => void;
    ok((await failureOf(take(store, "a1", { admit: later }))) instanceof BylawError);
    equal((await took(store)).fence, 1);
  });

  test("is claimed by what the log says in the transaction, whoever writes meanwhile", async ({ store }) => {
    await addTasks(store, 9);
    // The run is closed at the same time: no claim may follow its last event.
    const closed = (events: readonly LogEvent[]): boolean => events.some(({ event_type }) => event_type === "closed");
    const admit = (unseen: readonly LogEvent[]): void => {
      if (closed(unseen)) throw new Error("closed");
    };
    const claims = upTo(9).map((n) => take(store, `a${n}`, { admit }).catch(() => undefined));
    const ends = ["r0", "r1", "r2"].map((run) => write(store, { run, events: [draft({ event_type: "closed" })] }));
    await Promise.all([...claims, ...ends]);
    for (const run of ["r0", "r1", "r2"]) equal((await logOf(store, run)).at(-1)?.event_type, "closed");
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
