import type { EventDraft, LogEvent } from "@bylaw/kernel";
import { StoreConflict, type Store } from "@bylaw/store";
import type { PostgresServer } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import type { PostgresStoreOptions } from "../src/index.ts";
import { APPEND, draft, faultOf, logOf, placeOn, serverOfFile, upTo, type Place } from "./kit.ts";
import { proxyTo, type Proxy } from "./proxy.ts";

const server = await serverOfFile();

interface Bench {
  readonly store: Store;
  readonly proxy: Proxy;
  readonly place: Place;
}

// The store connects through the proxy, and the test connects directly.
const behindProxy =
  (work: (bench: Bench) => Promise<void>, options: PostgresStoreOptions = {}) =>
  async () => {
    const proxy = await proxyTo((server as PostgresServer).url);
    const place = placeOn(server as PostgresServer, proxy.url);
    const store = await place.open(options);
    try {
      await work({ store, proxy, place });
    } finally {
      await store.close();
      await proxy.stop();
      await place.end();
    }
  };

const claimed = ({ task }: { readonly task: string }): EventDraft =>
  draft({ event_type: "task_claimed", task_id: task });
const addTask = (store: Store, id: string) =>
  store.commit({
    run: "r1",
    seen: 0,
    events: [draft()],
    task: { id, fence: 0, set: { state: "available", queue: "q" } },
  });

describe.skipIf(server === undefined)("a connection that is lost", () => {
  it(
    "between a commit and its answer does no harm: the commit is written once and its receipt returned",
    behindProxy(async ({ store, proxy }) => {
      await store.commit({ run: "r1", seen: 0, events: [draft()] });
      for (const request_id of [undefined, "q1"]) {
        const lost = proxy.loseAnswerToCommit();
        const commit = {
          run: "r1",
          seen: 1,
          events: [draft({ details: { request: request_id ?? null } }), draft()],
        };
        const receipt = await store.commit({
          ...commit,
          ...(request_id === undefined ? {} : { request_id }),
        });
        await lost;
        expect(receipt.replayed).toBe(false);
        expect(await store.events("r1", (receipt.events[0]?.sequence ?? 0) - 1, 10)).toEqual(
          receipt.events,
        );
      }
      const log = await logOf(store, "r1");
      expect([log.length, faultOf(log)]).toEqual([5, undefined]);
    }),
  );

  it(
    "before a commit arrives does no harm: the commit is written once",
    behindProxy(async ({ store, proxy }) => {
      await store.commit({ run: "r1", seen: 0, events: [draft()] });
      const lost = proxy.loseQuestion("commit\0");
      const { events } = await store.commit({ run: "r1", seen: 1, events: [draft()] });
      await lost;
      expect(events[0]?.sequence).toBe(2);
      expect(await logOf(store, "r1")).toHaveLength(2);
    }),
  );

  it(
    "before anything is sent is reported as such, and nothing is written",
    behindProxy(
      async ({ store, proxy, place }) => {
        await store.commit({ run: "r1", seen: 0, events: [draft()] });
        proxy.down();
        // Wait until the commit connection has noticed that it is closed.
        await expect(store.get("k", "d")).rejects.toFailWith("BYLAW_STORE_UNAVAILABLE");
        await expect(store.commit({ run: "r1", seen: 1, events: [draft()] })).rejects.toFailWith(
          "BYLAW_STORE_UNAVAILABLE",
        );
        expect(await place.sql("select sequence::int from {schema}.runs")).toEqual([
          { sequence: 1 },
        ]);
        proxy.up();
        expect(
          (await store.commit({ run: "r1", seen: 1, events: [draft()] })).events[0]?.sequence,
        ).toBe(2);
      },
      { retry_ms: 300 },
    ),
  );

  it(
    "does not keep a store from being closed",
    behindProxy(
      async ({ store, proxy }) => {
        await store.watch(() => {});
        await store.commit({ run: "r1", seen: 0, events: [draft()] });
        proxy.down();
        await store.close();
        await expect(store.events("r1", 0, 1)).rejects.toFailWith("BYLAW_STORE_CLOSED");
      },
      { retry_ms: 600_000 },
    ),
  );

  it(
    "silently is given up after the statement timeout, and the commit is written once",
    behindProxy(
      async ({ store, proxy }) => {
        await store.commit({ run: "r1", seen: 0, events: [draft()] });
        const lost = proxy.swallowQuestion("commit\0");
        const { events } = await store.commit({ run: "r1", seen: 1, events: [draft()] });
        await lost;
        expect([events[0]?.sequence, (await logOf(store, "r1")).length]).toEqual([2, 2]);
      },
      { statement_timeout_ms: 1_000 },
    ),
  );

  it(
    "neither lets a refused commit through nor reports a conflict for a written one",
    behindProxy(async ({ store, proxy }) => {
      const lost = proxy.loseAnswerToCommit();
      const put = (n: number) =>
        store.commit({
          run: "r1",
          seen: 0,
          events: [draft()],
          documents: [{ kind: "k", id: "d", value: String(n), if_version: 0 }],
        });
      const results = await Promise.allSettled(upTo(5).map(put));
      await lost;
      expect(results.map(({ status }) => status)).toEqual([
        "fulfilled",
        "rejected",
        "rejected",
        "rejected",
        "rejected",
      ]);
      for (const result of results)
        if (result.status === "rejected") expect(result.reason).toBeInstanceOf(StoreConflict);
      expect(await logOf(store, "r1")).toHaveLength(1);
      expect(await store.get("k", "d")).toEqual({ version: 1, value: "1" });
    }),
  );

  it(
    "for longer than the store waits ends in an error that says so, in bounded time, and the store works afterwards",
    behindProxy(
      async ({ store, proxy, place }) => {
        await store.commit({ run: "r1", seen: 0, events: [draft()] });
        const lost = proxy.loseAnswerToCommit().then(() => proxy.down());
        const pending = store.commit({ run: "r1", seen: 1, events: [draft()] });
        await expect(pending).rejects.toFailWith("BYLAW_STORE_UNKNOWN_OUTCOME");
        await lost;
        await expect(store.commit({ run: "r1", seen: 1, events: [draft()] })).rejects.toFailWith(
          "BYLAW_STORE_UNAVAILABLE",
        );
        await expect(store.events("r1", 0, 1)).rejects.toFailWith("BYLAW_STORE_UNAVAILABLE");
        proxy.up();
        const before = await place.sql("select count(*)::int as n from {schema}.events");
        await store.commit({ run: "r1", seen: 1, events: [draft()] });
        const log = await logOf(store, "r1");
        expect([log.length, faultOf(log)]).toEqual([Number(before[0]?.["n"]) + 1, undefined]);
      },
      { retry_ms: 300 },
    ),
  );

  it(
    "again and again under sixteen writers loses nothing and duplicates nothing",
    behindProxy(async ({ store, proxy }) => {
      let acknowledged = 0;
      const cuts = setInterval(() => proxy.cut(), 40);
      const write = async (writer: number): Promise<void> => {
        for (const n of upTo(30)) {
          const request = n % 2 === 0 ? {} : { request_id: `${writer}-${n}` };
          const { events } = await store.commit({
            run: `r${writer % 3}`,
            seen: 0,
            events: [draft({ details: { writer, n } })],
            ...request,
          });
          acknowledged += events.length;
        }
      };
      await Promise.all(upTo(16).map(write));
      clearInterval(cuts);
      const logs = await Promise.all(["r0", "r1", "r2"].map((run) => logOf(store, run)));
      expect(logs.map(faultOf)).toEqual([undefined, undefined, undefined]);
      const told = logs.flat().map(({ details }) => JSON.stringify(details));
      expect([acknowledged, told.length, new Set(told).size]).toEqual([480, 480, 480]);
    }),
  );

  it(
    "after a claim finds the claim by its request id, and reports an unknown outcome without one",
    behindProxy(async ({ store, proxy }) => {
      await addTask(store, "T1");
      await addTask(store, "T2");
      const claim = { queue: "q", agent: "a1", lease_ms: 60_000, event: claimed };
      const first = proxy.loseAnswerToCommit();
      expect(await store.claim({ ...claim, request_id: "q1" })).toMatchObject({
        task: "T1",
        fence: 1,
      });
      await first;
      const second = proxy.loseAnswerToCommit();
      await expect(store.claim(claim)).rejects.toFailWith("BYLAW_STORE_UNKNOWN_OUTCOME");
      await second;
      const types = (await logOf(store, "r1")).map(({ event_type }) => event_type);
      expect(types).toEqual(["note", "note", "task_claimed", "task_claimed"]);
    }),
  );

  it(
    "to a pooler that switches servers loses nothing",
    behindProxy(async ({ store, place }) => {
      await store.commit({ run: "r1", seen: 0, events: [draft()] });
      await store.commit({ run: "r1", seen: 1, events: [draft()] });
      // From now on, the connection that it gets keeps no statement.
      await place.sql("alter function {schema}.begin_write(integer) rename to begin_write_alone");
      await place.sql(`create function {schema}.begin_write(p integer) returns boolean language plpgsql as $$ begin
        perform {schema}.begin_write_alone(p);
        execute 'deallocate all';
        return true;
      end $$`);
      for (const n of upTo(4)) {
        const documents = n % 2 === 0 ? [{ kind: "k", id: "d", value: "v" }] : [];
        expect(
          (await store.commit({ run: "r1", seen: 2, events: [draft()], documents })).events[0]
            ?.sequence,
        ).toBe(2 + n);
      }
      const log = await logOf(store, "r1");
      expect([log.length, faultOf(log)]).toEqual([6, undefined]);
    }),
  );

  it(
    "to a server that took over without the last commits is noticed by the head: new events follow those that exist",
    behindProxy(async ({ store, place }) => {
      for (const n of upTo(5))
        await store.commit({ run: "r1", seen: 0, events: [draft({ details: { n } })] });
      await place.sql("delete from {schema}.segments where run = 'r1' and last > 3");
      await place.sql(
        "update {schema}.runs r set sequence = 3, link = s.links from {schema}.segments s where s.run = r.run and s.last = 3",
      );
      const shown: number[] = [];
      const admit = (unseen: readonly LogEvent[]): void => void shown.push(unseen.length);
      expect(
        (await store.commit({ run: "r1", seen: 3, events: [draft()], admit })).events[0]?.sequence,
      ).toBe(4);
      expect(shown.at(-1)).toBe(0);
      // Another server has as many events as this store knows, but different ones.
      const other = await place.open({ connections: 2 });
      await other.commit({
        run: "r1",
        seen: 0,
        events: [draft({ details: { other: 1 } }), draft()],
      });
      await place.sql("delete from {schema}.segments where run = 'r1' and last > 4");
      await place.sql(
        "update {schema}.runs r set sequence = 4, link = s.links from {schema}.segments s where s.run = r.run and s.last = 4",
      );
      await store.commit({ run: "r1", seen: 0, events: [draft({ details: { n: 5 } }), draft()] });
      expect(
        (await other.commit({ run: "r1", seen: 0, events: [draft({ details: { other: 2 } })] }))
          .events[0]?.sequence,
      ).toBe(7);
      await other.close();
      const log = await logOf(store, "r1");
      expect([log.length, faultOf(log)]).toEqual([7, undefined]);
    }),
  );

  it(
    "of a listener is restored, and writes in between are reported",
    behindProxy(
      async ({ store, proxy, place }) => {
        const other = await place.open({ connections: 2 });
        try {
          const reached = (head: number): Promise<void> =>
            new Promise(
              (resolve) => void store.watch((run, at) => run === "r1" && at >= head && resolve()),
            );
          const first = reached(1);
          await other.commit({ run: "r1", seen: 0, events: [draft()] });
          await first;
          const second = reached(2);
          proxy.cut();
          await other.commit({ run: "r1", seen: 1, events: [draft()] });
          await second;
        } finally {
          await other.close();
        }
      },
      { poll_ms: 100 },
    ),
  );

  it(
    "cannot mislead a watcher by false notifications",
    behindProxy(
      async ({ store, place }) => {
        const told: unknown[] = [];
        const last = Promise.withResolvers<void>();
        await store.watch((run, head) => {
          told.push([run, head]);
          if (run === "last") last.resolve();
        });
        for (const payload of ["r1", "", "[", '["r1",1000000]', "\u0001:", "nobody's"])
          await place.sql("select pg_notify($1, $2)", [`bylaw_${place.schema}`, payload]);
        await store.commit({ run: "r1", seen: 0, events: [draft()] });
        await store.commit({ run: "last", seen: 0, events: [draft()] });
        await last.promise;
        expect(told).toEqual([
          ["r1", 1],
          ["last", 1],
        ]);
      },
      { poll_ms: 60_000 },
    ),
  );

  it(
    "that delivers no notifications is made up for by polling",
    behindProxy(
      async ({ store, place }) => {
        const told = Promise.withResolvers<number>();
        await store.watch((_, head) => told.resolve(head));
        // Written as by another program, without a notification.
        await place.sql(APPEND);
        await place.sql("select {schema}.append('r1', $1)", ['{"details":{}}']);
        expect(await told.promise).toBe(1);
      },
      { poll_ms: 50 },
    ),
  );
});

it.skipIf(server === undefined || server.external)(
  "connects through a socket in the file system",
  async () => {
    const place = placeOn(server as PostgresServer, (server as PostgresServer).socket);
    const store = await place.open();
    await store.commit({ run: "r1", seen: 0, events: [draft()] });
    const heads: number[] = [];
    const stop = await store.watch((_, head) => void heads.push(head));
    await store.commit({ run: "r1", seen: 1, events: [draft()] });
    expect((await logOf(store, "r1")).map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect(heads).toContain(2);
    stop();
    await store.close();
    await place.end();
  },
);
