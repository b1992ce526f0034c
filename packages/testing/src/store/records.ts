import { deepStrictEqual as equal, match } from "node:assert/strict";
import type { EventDraft } from "@bylaw/kernel";
import type { Claim, ExpiredLease } from "@bylaw/store";
import {
  addTasks,
  draft,
  failureOf,
  logOf,
  sequences,
  sweepLeases,
  take,
  claimFree,
  upTo,
  write,
  type Group,
} from "./kit.ts";

const typesOf = async (...given: Parameters<typeof logOf>): Promise<readonly string[]> =>
  (await logOf(...given)).map(({ event_type }) => event_type);

const refuse = (): never => {
  throw new Error("not to be recorded");
};

/** The promises of any store about the events of claims and sweeps: nothing changes without an event, and no event is false. */
export const records: Group = {
  "is in the task's own run, as the claim returns it": async ({ store }) => {
    await addTasks(store, 3);
    let asked: readonly Omit<Claim, "event">[] = [];
    const event = (claim: Omit<Claim, "event">): EventDraft => {
      asked = [...asked, claim];
      return draft({
        event_type: "task_claimed",
        task_id: claim.task,
        details: { fence: claim.fence },
      });
    };
    for (const index of upTo(3)) {
      const { event: recorded, ...claim } = await claimFree(store, "a1", { event });
      equal(asked.at(-1), claim);
      const log = await logOf(store, claim.run);
      equal([sequences(log), log[1]], [[1, 2], recorded]);
      equal(
        [recorded.task_id, recorded.details, asked.length >= index],
        [claim.task, { fence: 1 }, true],
      );
    }
  },

  "is written once for claims under one request id, and not at all without a task": async ({
    store,
  }) => {
    equal(await take(store), undefined);
    equal(await logOf(store, "r0"), []);
    await addTasks(store, 1);
    await Promise.all(upTo(8).map(() => take(store, "a1", { request_id: "q1" })));
    equal(await typesOf(store, "r0"), ["note", "task_claimed"]);
  },

  "that cannot be written leaves the task unclaimed": async ({ store }) => {
    await addTasks(store, 1);
    match(
      String(await failureOf(take(store, "a1", { event: refuse, request_id: "q1" }))),
      /not to be recorded/,
    );
    const spoilt = (): EventDraft => draft({ details: { n: Number.NaN } });
    await failureOf(take(store, "a1", { event: spoilt }));
    equal(await typesOf(store, "r0"), ["note"]);
    equal((await claimFree(store, "a2")).fence, 1);
  },

  "of an ended lease names task, owner and new fence, one event for each": async ({
    store,
    clock,
  }) => {
    await addTasks(store, 4);
    const claims = await Promise.all(
      upTo(4).map((n) => claimFree(store, `a${n}`, { lease_ms: 1_000 })),
    );
    clock.advance(1_000);
    const expired: ExpiredLease[] = [];
    const event = (lease: ExpiredLease): EventDraft => {
      expired.push(lease);
      return draft({
        event_type: "lease_expired",
        agent_id: null,
        task_id: lease.task,
        details: { owner: lease.owner },
      });
    };
    equal(await store.sweep(event), 4);
    const byTask = new Map(expired.map((lease) => [lease.task, lease]));
    equal(byTask.size, 4);
    for (const { task, run, event: claimed } of claims) {
      equal(byTask.get(task), { task, run, owner: claimed.agent_id, fence: 2 });
      const log = (await logOf(store, run)).filter((one) => one.task_id === task);
      equal(
        log.map(({ event_type, details }) => [event_type, details["owner"]]),
        [
          ["task_claimed", undefined],
          ["lease_expired", claimed.agent_id],
        ],
      );
    }
  },

  "of an ended lease that cannot be written leaves every task and document unchanged": async ({
    store,
    clock,
  }) => {
    await addTasks(store, 3);
    await Promise.all(upTo(3).map((n) => claimFree(store, `a${n}`, { lease_ms: 1_000 })));
    await write(store, {
      run: "docs",
      documents: [
        { kind: "k", id: "d", value: "v", expires_at: new Date(clock.now() + 1_000).toISOString() },
      ],
    });
    clock.advance(1_000);
    let asked = 0;
    const second = (): EventDraft =>
      (asked += 1) === 2 ? refuse() : draft({ event_type: "lease_expired" });
    match(String(await failureOf(store.sweep(second))), /not to be recorded/);
    const logs = await Promise.all(["r0", "r1", "r2"].map((run) => typesOf(store, run)));
    for (const log of logs) equal(log, ["note", "task_claimed"]);
    equal(await sweepLeases(store), 4);
  },

  "of an ended lease is written once, however many sweeps run": async ({ store, clock }) => {
    await addTasks(store, 3);
    await Promise.all(upTo(3).map((n) => claimFree(store, `a${n}`, { lease_ms: 1_000 })));
    clock.advance(1_000);
    const freed = await Promise.all(upTo(6).map(() => sweepLeases(store)));
    equal(
      freed.reduce((sum, one) => sum + one, 0),
      3,
    );
    for (const run of ["r0", "r1", "r2"])
      equal(await typesOf(store, run), ["note", "task_claimed", "lease_expired"]);
  },
};
