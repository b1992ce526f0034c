import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { BylawError } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { chainFaults } from "./chain.ts";
import {
  addTasks,
  conflicts,
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

/** The promises of any store from opening to closing, and over the same data opened again. */
export const life: Group = {
  "refuses every call once it is closed, and says so": async ({ store }) => {
    await addTasks(store, 1);
    await store.close();
    await store.close();
    const asked: readonly (() => Promise<unknown>)[] = [
      () => write(store),
      () => take(store),
      () => store.get("k", "d"),
      () => store.events("r1", 0, 1),
      () => store.watch(() => {}),
      () => sweepLeases(store),
    ];
    for (const ask of asked) {
      const error = await failureOf(ask());
      ok(
        error instanceof BylawError && error.code === "BYLAW_STORE_CLOSED",
        `not BYLAW_STORE_CLOSED: ${String(error)}`,
      );
    }
  },

  "keeps what it acknowledged while it was closing": async ({ store, another }) => {
    const pending = upTo(10).map((n) => write(store, { events: [draft({ details: { n } })] }));
    const closing = store.close();
    const results = await Promise.allSettled(pending);
    await closing;
    const next = await another();
    if (next === undefined) return;
    const kept = new Set((await logOf(next)).map(({ details }) => details["n"]));
    for (const [index, { status }] of results.entries())
      equal(kept.has(index + 1), status === "fulfilled");
  },

  "has everything that was acknowledged when it is opened again": async ({
    store,
    another,
    clock,
  }) => {
    const documents = [{ kind: "k", id: "d", value: 'é\u2028"\\ 😀' }];
    const first = await write(store, { documents, request_id: "q1" });
    await write(store, { documents });
    await addTasks(store, 2);
    const claim = await claimFree(store, "a1", { request_id: "q1", lease_ms: 1_000 });
    await store.close();
    const next = await another();
    if (next === undefined) return;
    equal(await write(next, { documents, request_id: "q1" }), {
      events: first.events,
      replayed: true,
    });
    equal(await claimFree(next, "a1", { request_id: "q1" }), claim);
    equal(await next.get("k", "d"), { version: 2, value: documents[0]?.value });
    await write(next, { run: claim.run, task: { id: claim.task, fence: claim.fence } });
    await conflicts(
      write(next, { run: claim.run, task: { id: claim.task, fence: claim.fence + 1 } }),
      "fence",
    );
    clock.advance(1_000);
    equal(await sweepLeases(next), 1);
    await write(next, { run: "r9" });
    for (const [run, length] of [
      ["r0", 4],
      ["r1", 3],
      ["r9", 1],
    ] as const) {
      equal(sequences(await logOf(next, run)), upTo(length));
      equal(await chainFaults(await logOf(next, run)), []);
    }
  },

  "works together with every other store over the same data": async ({ store, another, clock }) => {
    const other = await another();
    if (other === undefined) return;
    const both: readonly [Store, Store] = [store, other];
    const each = (n: number): Store => both[n % 2] as Store;
    await Promise.all(
      upTo(30).map((n) => write(each(n), { run: "log", events: [draft({ details: { n } })] })),
    );
    equal(sequences(await logOf(store, "log")), upTo(30));
    equal(await logOf(other, "log"), await logOf(store, "log"));
    equal(await chainFaults(await logOf(other, "log")), []);

    // A store may ask more than once. Only the last call counts.
    let shown: readonly number[] = [];
    await write(other, {
      run: "log",
      seen: 28,
      admit: (unseen) => void (shown = sequences(unseen)),
    });
    equal(shown, [29, 30]);

    await addTasks(store, 5);
    const claims = await Promise.all(
      upTo(8).map((n) => take(each(n), `a${n}`, { lease_ms: 1_000 })),
    );
    equal(new Set(claims.flatMap((claim) => claim?.task ?? [])).size, 5);
    const twins = await Promise.all(
      upTo(8).map((n) => write(each(n), { run: "twins", request_id: "q1" })),
    );
    equal(
      [(await logOf(store, "twins")).length, twins.filter(({ replayed }) => !replayed).length],
      [1, 1],
    );
    const racing = upTo(8).map((n) =>
      write(each(n), {
        run: "race",
        documents: [{ kind: "k", id: "d", value: "v", if_version: 0 }],
      }),
    );
    equal(
      (await Promise.allSettled(racing)).filter(({ status }) => status === "fulfilled").length,
      1,
    );
    clock.advance(1_000);
    const freed = await Promise.all(upTo(4).map((n) => sweepLeases(each(n))));
    equal(
      freed.reduce((sum, one) => sum + one, 0),
      5,
    );
  },

  "reports to watchers what another store over the same data wrote": async ({ store, another }) => {
    const other = await another();
    if (other === undefined) return;
    const notified = Promise.withResolvers<void>();
    const stop = await store.watch((run, head) => run === "r1" && head === 2 && notified.resolve());
    await write(other, { events: [draft(), draft()] });
    await notified.promise;
    stop();
    equal((await logOf(store)).length, 2);
  },
};
