import { deepStrictEqual as equal, notEqual, ok } from "node:assert/strict";
import { BylawError, type LogEvent } from "@bylaw/kernel";
import type { Claim } from "@bylaw/store";
import {
  addTasks,
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

/** Claims of tasks, and their fences. */
export const taskClaims: Group = {
  "is claimed once: thirty claimers share twenty tasks": async ({ store }) => {
    await addTasks(store, 20);
    const claims = await Promise.all(upTo(30).map((n) => take(store, `a${n}`)));
    const held = claims.filter((claim) => claim !== undefined);
    equal(held.length, 20);
    equal(new Set(held.map(({ task }) => task)).size, 20);
    ok(held.every(({ fence }) => fence === 1));
    equal(await take(store, "late"), undefined);
  },

  "is claimed from its own queue, and the claim has its run, phase and lease end": async ({
    store,
    clock,
  }) => {
    await addTasks(store, 1, "reviews");
    equal(await take(store), undefined);
    const { event, ...claim } = await claimFree(store, "a1", { queue: "reviews", lease_ms: 1_000 });
    const lease_until = new Date(clock.now() + 1_000).toISOString();
    equal(claim, { task: "reviews-0", run: "r0", phase: "PLAN", fence: 1, lease_until });
    equal(event, (await logOf(store, "r0"))[1]);
  },

  "without a phase is claimed without one": async ({ store }) => {
    await write(store, { task: { id: "T1", fence: 0, set: { state: "available", queue: "q" } } });
    equal("phase" in (await claimFree(store)), false);
  },

  "is claimed once per request id, even by eight requests at once": async ({ store }) => {
    await addTasks(store, 5);
    const claims = await Promise.all(
      upTo(8).map(() => claimFree(store, "a1", { request_id: "q1" })),
    );
    equal(new Set(claims.map((claim) => JSON.stringify(claim))).size, 1);
    equal(claims[0], await claimFree(store, "a1", { request_id: "q1" }));
    const other = await claimFree(store, "a2", { request_id: "q1" });
    notEqual(other.task, claims[0]?.task);
    const rest = await Promise.all(upTo(5).map((n) => take(store, `b${n}`)));
    equal(rest.filter((claim) => claim !== undefined).length, 3);
  },

  "is not claimed for a lease that is not a positive whole number": async ({ store }) => {
    await addTasks(store, 1);
    for (const lease_ms of [0, -1, 0.5, Number.NaN, Infinity]) {
      ok((await failureOf(take(store, "a1", { lease_ms }))) instanceof BylawError);
    }
    equal((await logOf(store, "r0")).length, 1);
    equal((await claimFree(store)).fence, 1);
  },

  "that is done or failed cannot be claimed": async ({ store, clock }) => {
    await addTasks(store, 2);
    for (const state of ["done", "failed"] as const) {
      const { run, task, fence } = await claimFree(store, "a1", { lease_ms: 1_000 });
      await write(store, { run, task: { id: task, fence, set: { state } } });
    }
    clock.advance(10_000);
    equal([await take(store), await sweepLeases(store)], [undefined, 0]);
  },
};

/** A claimer that judges the run's latest events before it gets the task. */
export const claimAdmission: Group = {
  "is claimed only if the claimer accepts the events it has not read": async ({ store }) => {
    await addTasks(store, 1);
    const run = "r0";
    await write(store, { run, events: [draft({ event_type: "second" })] });
    const asked: unknown[] = [];
    const admit = (unseen: readonly LogEvent[], claim: Omit<Claim, "event">): void => {
      asked.push([unseen.map(({ event_type }) => event_type), claim.task, claim.run, claim.fence]);
      if (unseen.length > 0) throw new Error("not after that");
    };
    for (const seen of [0, 1])
      ok(
        /not after that/.test(
          String(await failureOf(take(store, "a1", { seen, admit, request_id: "q1" }))),
        ),
      );
    equal((await logOf(store, run)).length, 2);
    const first = await claimFree(store, "a1", { seen: 2, admit, request_id: "q1" });
    equal(asked.at(-1), [[], "q-0", run, 1]);
    equal(asked.at(0), [["note", "second"], "q-0", run, 1]);
    const { length } = asked;
    equal(
      [await claimFree(store, "a1", { seen: 0, admit, request_id: "q1" }), asked.length],
      [first, length],
    );
    equal(await take(store, "a2", { admit }), undefined);
    equal(asked.length, length);
  },

  "is not claimed if the claimer answers with a promise": async ({ store }) => {
    await addTasks(store, 1);
    const later = (async () => {}) as unknown as () => void;
    ok((await failureOf(take(store, "a1", { admit: later }))) instanceof BylawError);
    equal((await claimFree(store)).fence, 1);
  },

  "is never claimed after the run is closed by a concurrent writer": async ({ store }) => {
    await addTasks(store, 9);
    // The run is closed at the same time: no claim may follow its last event.
    const closed = (events: readonly LogEvent[]): boolean =>
      events.some(({ event_type }) => event_type === "closed");
    const admit = (unseen: readonly LogEvent[]): void => {
      if (closed(unseen)) throw new Error("closed");
    };
    const claims = upTo(9).map((n) => take(store, `a${n}`, { admit }).catch(() => undefined));
    const ends = ["r0", "r1", "r2"].map((run) =>
      write(store, { run, events: [draft({ event_type: "closed" })] }),
    );
    await Promise.all([...claims, ...ends]);
    for (const run of ["r0", "r1", "r2"])
      equal((await logOf(store, run)).at(-1)?.event_type, "closed");
  },
};
