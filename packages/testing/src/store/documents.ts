import { deepStrictEqual as equal } from "node:assert/strict";
import type { Store } from "@bylaw/store";
import { conflicts, draft, logOf, sweepLeases, upTo, write, type Group } from "./kit.ts";

export const documents: Group = {
  "has versions from 1, which grow by one with each write": async ({ store }) => {
    equal(await store.get("k", "d"), undefined);
    for (const version of [1, 2, 3]) {
      await write(store, { documents: [{ kind: "k", id: "d", value: `v${version}` }] });
      equal(await store.get("k", "d"), { version, value: `v${version}` });
    }
    equal(await store.get("other", "d"), undefined);
  },

  "is written only at the version that the writer saw; otherwise nothing is written": async ({
    store,
  }) => {
    const both = (if_version: number, value: string) =>
      write(store, {
        documents: [
          { kind: "k", id: "free", value },
          { kind: "k", id: "d", value, if_version },
        ],
      });
    await conflicts(both(1, "too early"), "document");
    equal(await store.get("k", "free"), undefined);
    equal(await logOf(store), []);
    await both(0, "first");
    await conflicts(both(0, "again"), "document");
    await conflicts(both(2, "ahead"), "document");
    await both(1, "second");
    equal(await store.get("k", "d"), { version: 2, value: "second" });
    equal((await logOf(store)).length, 2);
  },

  "that many create at once, in different runs, is created by one, and the others leave no event":
    ({ store }) => createByTen(store, (n) => `r${n}`),

  "that many create at once, in one run, is created by one, and the others leave no event": ({
    store,
  }) => createByTen(store, () => "r1"),

  "that many update at once on the version they saw is updated once": async ({ store }) => {
    await write(store, { documents: [{ kind: "k", id: "d", value: "0" }] });
    const update = (n: number) =>
      write(store, { documents: [{ kind: "k", id: "d", value: String(n), if_version: 1 }] });
    const results = await Promise.allSettled(upTo(10).map(update));
    equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    equal((await store.get("k", "d"))?.version, 2);
    equal((await logOf(store)).length, 2);
  },

  "is absent once it is deleted, and a writer that saw it before is out of date": async ({
    store,
  }) => {
    const put = (value: string | null, if_version?: number) =>
      write(store, {
        documents: [
          { kind: "k", id: "d", value, ...(if_version === undefined ? {} : { if_version }) },
        ],
      });
    await put("v");
    await put(null, 1);
    equal(await store.get("k", "d"), undefined);
    await conflicts(put("w", 1), "document");
    await put(null);
    await put("w", 0);
    equal((await store.get("k", "d"))?.value, "w");
    await conflicts(put("x", 1), "document");
  },

  "that expires is absent from that moment, before any sweep, and may be created again": async ({
    store,
    clock,
  }) => {
    const expires_at = new Date(clock.now() + 1_000).toISOString();
    const put = (value: string, if_version: number) =>
      write(store, { documents: [{ kind: "k", id: "d", value, if_version, expires_at }] });
    await put("v", 0);
    clock.advance(999);
    equal((await store.get("k", "d"))?.value, "v");
    clock.advance(1);
    equal(await store.get("k", "d"), undefined);
    await conflicts(put("late", 1), "document");
    await write(store, { documents: [{ kind: "k", id: "d", value: "new", if_version: 0 }] });
    equal((await store.get("k", "d"))?.value, "new");
  },

  "expires by the store's clock, whatever the writer's clock says": async ({ store, clock }) => {
    const expires_at = new Date(clock.now() + 1_000).toISOString();
    for (const [id, timestamp] of [
      ["slow", "1999-01-01T00:00:00.000Z"],
      ["fast", "2999-01-01T00:00:00.000Z"],
    ] as const) {
      await write(store, {
        events: [draft({ timestamp })],
        documents: [{ kind: "k", id, value: "v", expires_at }],
      });
    }
    equal(
      [(await store.get("k", "slow"))?.value, (await store.get("k", "fast"))?.value],
      ["v", "v"],
    );
    clock.advance(1_000);
    equal([await store.get("k", "slow"), await store.get("k", "fast")], [undefined, undefined]);
  },

  "that expires is swept once, and nothing else is swept": async ({ store, clock }) => {
    const expires_at = new Date(clock.now() + 1_000).toISOString();
    await write(store, {
      documents: [
        { kind: "k", id: "short", value: "v", expires_at },
        { kind: "k", id: "long", value: "v" },
      ],
    });
    equal(await sweepLeases(store), 0);
    clock.advance(1_000);
    equal(await sweepLeases(store), 1);
    equal(await sweepLeases(store), 0);
    equal((await store.get("k", "long"))?.value, "v");
    equal((await logOf(store)).length, 1);
  },

  "with an invalid expiry is refused": async ({ store }) => {
    let refused = true;
    await write(store, {
      documents: [{ kind: "k", id: "d", value: "v", expires_at: "soon" }],
    }).then(
      () => (refused = false),
      () => {},
    );
    equal([refused, await store.get("k", "d"), await logOf(store)], [true, undefined, []]);
  },

  "is written without an event, at the version that the writer saw, and survives reopening":
    async ({ store, another }) => {
      await store.put({ kind: "k", id: "d", value: "v1", if_version: 0 });
      await conflicts(store.put({ kind: "k", id: "d", value: "late", if_version: 0 }), "document");
      await store.put({ kind: "k", id: "d", value: "v2" });
      equal(await store.get("k", "d"), { version: 2, value: "v2" });
      const puts = upTo(5).map((n) =>
        store.put({ kind: "k", id: "d", value: `w${n}`, if_version: 2 }),
      );
      const results = await Promise.allSettled(puts);
      equal(results.filter(({ status }) => status === "fulfilled").length, 1);
      for (const result of results)
        if (result.status === "rejected")
          await conflicts(Promise.reject(result.reason), "document");
      equal(await logOf(store), []);
      const other = (await another()) ?? store;
      equal((await other.get("k", "d"))?.version, 3);
    },
};

async function createByTen(store: Store, run: (n: number) => string): Promise<void> {
  const results = await Promise.allSettled(
    upTo(10).map((n) =>
      write(store, {
        run: run(n),
        events: [draft({ details: { n } })],
        documents: [{ kind: "k", id: "d", value: String(n), if_version: 0 }],
      }),
    ),
  );
  const winners = results.flatMap(({ status }, index) =>
    status === "fulfilled" ? [index + 1] : [],
  );
  equal(winners.length, 1);
  equal(await store.get("k", "d"), { version: 1, value: String(winners[0]) });
  const runs = [...new Set(upTo(10).map(run))];
  const logs = await Promise.all(runs.map((one) => logOf(store, one)));
  equal(
    logs.flat().map(({ details }) => details["n"]),
    winners,
  );
  for (const result of results)
    if (result.status === "rejected") await conflicts(Promise.reject(result.reason), "document");
}
