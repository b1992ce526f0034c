import { BylawError, type LogEvent } from "@bylaw/kernel";
import { StoreConflict, type Store } from "@bylaw/store";
import type { PostgresServer } from "@bylaw/testing";
import * as fc from "fast-check";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import {
  APPEND,
  draft,
  faultOf,
  leftovers,
  logOf,
  placeOn,
  serverOfFile,
  upTo,
  type Place,
} from "./kit.ts";

// This server does not resolve deadlocks by itself. Transactions in a deadlock wait until they are refused, which the tests notice.
const server = await serverOfFile({ settings: { deadlock_timeout: "10min" } });

/** Runs the work on several stores over one schema. Each has its own connections and memory, like a process. */
async function onStores(
  count: number,
  work: (stores: readonly Store[], place: Place) => Promise<void>,
): Promise<void> {
  const place = placeOn(server as PostgresServer);
  const stores = await Promise.all(upTo(count).map(() => place.open()));
  try {
    await work(stores, place);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await place.end();
  }
}

describe.skipIf(server === undefined)("writers that race", () => {
  it("are each shown exactly the events between what they saw and what they wrote", () =>
    onStores(4, async (stores) => {
      const shown: {
        readonly seen: number;
        readonly unseen: readonly LogEvent[];
        readonly first: number;
      }[] = [];
      const write = async (writer: number): Promise<void> => {
        const store = stores[writer % 4] as Store;
        let seen = 0;
        for (const n of upTo(15)) {
          let last: readonly LogEvent[] = [];
          const admit = (unseen: readonly LogEvent[]): void => {
            last = unseen;
          };
          // Some fail on a document, so their events must not be shown to the others.
          const documents =
            writer % 3 === 0 && n % 2 === 0
              ? [{ kind: "k", id: "d", value: "v", if_version: 7 }]
              : [];
          const events = upTo((n % 3) + 1).map((part) => draft({ details: { writer, n, part } }));
          try {
            const receipt = await store.commit({ run: "r1", seen, events, documents, admit });
            const first = receipt.events[0]?.sequence ?? 0;
            shown.push({ seen, unseen: last, first });
            if (n % 4 !== 0) seen = receipt.events.at(-1)?.sequence ?? 0;
          } catch (error) {
            expect(error).toBeInstanceOf(StoreConflict);
          }
        }
      };
      await Promise.all(upTo(16).map(write));
      const log = await logOf(stores[0] as Store, "r1");
      expect(faultOf(log)).toBeUndefined();
      for (const { seen, unseen, first } of shown)
        expect(unseen).toEqual(log.slice(seen, first - 1));
      expect(shown.length).toBeGreaterThan(150);
    }));

  it("decide about each commit at most twice, and leave nothing behind, even if others write to the run all the time", () =>
    onStores(2, async (stores, place) => {
      let asked = 0;
      let written = 0;
      const write = async (writer: number): Promise<void> => {
        for (const n of upTo(12)) {
          const admit = (): void => {
            asked += 1;
            if (n === 5) throw new StoreConflict("document", "refused by its writer");
          };
          const request = n % 2 === 0 ? { request_id: `${writer % 8}-${n}` } : {};
          const task =
            n === 7
              ? {
                  task: {
                    id: `T${writer}`,
                    fence: writer % 2,
                    set: { state: "available" as const },
                  },
                }
              : {};
          const commit = {
            run: "r1",
            seen: 0,
            events: [draft({ details: { writer, n } })],
            admit,
            ...request,
            ...task,
          };
          await (stores[writer % 2] as Store).commit(commit).then(
            ({ replayed }) => (written += replayed ? 0 : 1),
            (error: unknown) => expect(error).toBeInstanceOf(StoreConflict),
          );
        }
      };
      await Promise.all(upTo(32).map(write));
      const log = await logOf(stores[0] as Store, "r1");
      expect([faultOf(log), log.length, await leftovers(place)]).toEqual([undefined, written, 0]);
      // Every even request id is used by four writers, and half of the task writes have a fence that was never given out.
      expect(written).toBe(32 * 5 - 16 + 6 * 8);
      expect(asked).toBeLessThan(2.5 * 32 * 12);
    }));

  it("lock everything in one order: no deadlock among tasks, runs, documents, claims and sweeps", () =>
    onStores(3, async (stores, place) => {
      const [one] = stores as readonly [Store];
      for (const n of upTo(4)) {
        await one.commit({
          run: `r${n % 3}`,
          seen: 0,
          events: [draft()],
          task: { id: `T${n}`, fence: 0, set: { state: "available", queue: "q" } },
        });
      }
      const event = ({ task }: { readonly task: string }) =>
        draft({ event_type: "task_claimed", task_id: task });
      const unexpected: unknown[] = [];
      const work = async (worker: number): Promise<void> => {
        const store = stores[worker % 3] as Store;
        for (const step of upTo(25)) {
          const order = (worker + step) % 2 === 0 ? [1, 2, 3] : [3, 2, 1];
          const documents = order.map((n) => ({
            kind: `k${n}`,
            id: `d${(n * step) % 4}`,
            value: "v",
          }));
          try {
            const claim =
              step % 3 === 0
                ? await store.claim({ queue: "q", agent: `a${worker}`, lease_ms: 1, event })
                : undefined;
            const task =
              claim === undefined
                ? {}
                : {
                    task: {
                      id: claim.task,
                      fence: claim.fence,
                      set: { state: "available" } as const,
                    },
                  };
            const commits = order.map((n) =>
              store.commit({
                run: `r${n % 3}`,
                seen: 0,
                events: [draft()],
                documents,
                request_id: `${worker % 2}-${step}-${n}`,
                ...(n === 2 ? task : {}),
              }),
            );
            if (step % 5 === 0) await store.sweep(event);
            await Promise.all(commits);
          } catch (error) {
            if (!(error instanceof StoreConflict)) unexpected.push(error);
          }
        }
      };
      await Promise.all(upTo(9).map(work));
      expect(unexpected).toEqual([]);
      for (const run of ["r0", "r1", "r2"]) expect(faultOf(await logOf(one, run))).toBeUndefined();
      expect(await leftovers(place)).toBe(0);
    }));

  it("lock documents in one order, in whatever order they name them", () =>
    onStores(2, async (stores, place) => {
      const blocker = new Client((server as PostgresServer).url);
      await blocker.connect();
      for (const round of upTo(5)) {
        const put = (which: 0 | 1, order: readonly number[]) => {
          const documents = order.map((n) => ({ kind: `k${round}`, id: `d${n}`, value: "v" }));
          return stores[which]?.commit({
            run: `own-${which}`,
            seen: 0,
            events: [draft()],
            documents,
          });
        };
        await put(0, [1, 2, 3, 4, 5]);
        await blocker.query("begin");
        await blocker.query(
          `select from "${place.schema}".documents where kind = 'k${round}' and id = 'd3' for update`,
        );
        const both = [put(0, [1, 2, 3, 4, 5]), put(1, [5, 4, 3, 2, 1])];
        // Each now holds the rows that come before the one it waits for.
        const waiting =
          "select from pg_stat_activity where wait_event_type = 'Lock' and application_name = $1";
        while ((await place.sql(waiting, [`bylaw ${place.schema}`])).length < 2);
        await blocker.query("rollback");
        expect((await Promise.all(both)).map((receipt) => receipt?.replayed)).toEqual([
          false,
          false,
        ]);
      }
      await blocker.end();
    }));

  it("all succeed: a writer whose head moves every time decides while nobody else can write", () =>
    onStores(1, async ([store], place) => {
      await store?.commit({ run: "r1", seen: 0, events: [draft()] });
      // Simulates another writer that is always faster, except against a transaction that has locked the run.
      await place.sql(APPEND);
      await place.sql("alter function {schema}.begin_write(integer) rename to begin_write_alone");
      await place.sql(`create function {schema}.begin_write(p integer) returns boolean language plpgsql as $$ begin
        perform {schema}.begin_write_alone(p);
        if not exists (select from pg_locks
            where pid = pg_backend_pid() and mode = 'RowShareLock' and relation = '{schema}.runs'::regclass) then
          perform {schema}.append('r1', '{"agent_id":null,"details":{},"event_type":"other","session_id":"s","task_id":null,"timestamp":"t"}');
        end if;
        return true;
      end $$`);
      const shown: number[] = [];
      const admit = (unseen: readonly LogEvent[]): void => void shown.push(unseen.length);
      const receipt = await store?.commit({ run: "r1", seen: 1, events: [draft()], admit });
      const first = receipt?.events[0]?.sequence ?? 0;
      expect([shown.length, shown.at(-1)]).toEqual([2, first - 2]);
      // Its message looks like a lost connection, but it is not one.
      const error = new Error("Connection terminated: timeout");
      const refuse = (): never => {
        throw error;
      };
      const refusalOf = (pending: Promise<unknown> | undefined): Promise<unknown> =>
        Promise.resolve(pending).catch((thrown: unknown) => thrown);
      expect(
        await refusalOf(store?.commit({ run: "r1", seen: 1, events: [draft()], admit: refuse })),
      ).toBe(error);
      await store?.commit({
        run: "r1",
        seen: 0,
        events: [draft()],
        task: { id: "T0", fence: 0, set: { state: "available", queue: "q" } },
      });
      expect(
        await refusalOf(store?.claim({ queue: "q", agent: "a1", lease_ms: 1, event: refuse })),
      ).toBe(error);
      expect(faultOf(await logOf(store as Store, "r1"))).toBeUndefined();
      const task = { id: "T1", fence: 0, set: { state: "available" } } as const;
      await expect(
        store?.commit({
          run: "r1",
          seen: 1,
          events: [draft()],
          admit: refuse,
          request_id: "q2",
          task,
        }),
      ).rejects.toThrow("timeout");
      expect(await leftovers(place)).toBe(0);
      expect(
        (
          await store?.commit({
            run: "r1",
            seen: 1,
            events: [draft()],
            admit,
            request_id: "q2",
            task,
          })
        )?.replayed,
      ).toBe(false);
    }));

  it("leave nothing behind when they are refused or repeated", () =>
    onStores(1, async ([store], place) => {
      const documents = [{ kind: "k", id: "new", value: "v", if_version: 0 }];
      const task = { id: "T1", fence: 0, set: { state: "available" } } as const;
      await store?.commit({ run: "r1", seen: 0, events: [draft()], request_id: "q1" });
      await store?.commit({
        run: "r1",
        seen: 0,
        events: [draft()],
        request_id: "q1",
        documents,
        task,
      });
      const wrong = [
        { ...documents[0], if_version: 4 },
        { kind: "k", id: "other", value: "v" },
      ] as typeof documents;
      await expect(
        store?.commit({
          run: "r2",
          seen: 0,
          events: [draft()],
          request_id: "q2",
          documents: wrong,
          task,
        }),
      ).rejects.toThrow("version");
      await expect(
        store?.commit({
          run: "r3",
          seen: 0,
          events: [draft()],
          documents,
          task: { id: "T2", fence: 3 },
        }),
      ).rejects.toThrow("Fence");
      expect(
        await store?.claim({
          queue: "q",
          agent: "a1",
          lease_ms: 1,
          request_id: "q1",
          event: () => draft(),
        }),
      ).toBeUndefined();
      expect(await leftovers(place)).toBe(0);
      expect(await place.sql("select run, sequence::int from {schema}.runs")).toEqual([
        { run: "r1", sequence: 1 },
      ]);
    }));

  it("are shown only events that follow those they have seen, even if another store has written meanwhile", () =>
    onStores(2, async ([one, other]) => {
      await one?.commit({ run: "r1", seen: 0, events: [draft()] });
      await other?.commit({ run: "r1", seen: 1, events: [draft({ details: { by: "other" } })] });
      const seen = await logOf(one as Store, "r1");
      const shown: (readonly LogEvent[])[] = [];
      const admit = (unseen: readonly LogEvent[]): void => void shown.push(unseen);
      await Promise.all(
        upTo(3).map(() => one?.commit({ run: "r1", seen: 2, events: [draft()], admit })),
      );
      expect(shown.map((unseen) => faultOf([...seen, ...unseen]))).toEqual(
        shown.map(() => undefined),
      );
    }));

  it("are shown all that they have not seen, even if that is much", () =>
    onStores(2, async ([one, other]) => {
      await one?.commit({
        run: "r1",
        seen: 0,
        events: upTo(1_500).map((n) => draft({ details: { n } })),
      });
      let shown: readonly LogEvent[] = [];
      await other?.commit({
        run: "r1",
        seen: 3,
        events: [draft()],
        admit: (unseen) => void (shown = unseen),
      });
      expect(shown).toEqual((await logOf(one as Store, "r1")).slice(3, 1_500));
    }));

  it("wait for a locked row for a limited time, and delay no other run", () =>
    onStores(1, async (_, place) => {
      const store = await place.open({ lock_timeout_ms: 100 });
      await store.commit({ run: "held", seen: 0, events: [draft()] });
      const blocker = new Client((server as PostgresServer).url);
      await blocker.connect();
      await blocker.query("begin");
      await blocker.query(`select from "${place.schema}".runs where run = 'held' for update`);
      const results = await Promise.allSettled(
        ["held", "free"].map((run) => store.commit({ run, seen: 0, events: [draft()] })),
      );
      expect(results[0]).toMatchObject({
        status: "rejected",
        reason: { code: "BYLAW_STORE_BUSY" },
      });
      expect((results[0] as PromiseRejectedResult).reason).toBeInstanceOf(BylawError);
      expect(results[1]?.status).toBe("fulfilled");
      await blocker.query("rollback");
      await blocker.end();
      expect(
        (await store.commit({ run: "held", seen: 1, events: [draft()] })).events[0]?.sequence,
      ).toBe(2);
      await store.close();
    }));

  it("keep texts apart that differ by a character that the database cannot hold", () =>
    onStores(1, async ([store]) => {
      const name = fc
        .array(fc.constantFrom("\0", "\u0001", "0", "1", ":", "a"), { maxLength: 5 })
        .map((signs) => signs.join(""));
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(fc.tuple(name, name), {
            minLength: 2,
            maxLength: 12,
            selector: (pair) => JSON.stringify(pair),
          }),
          async (pairs) => {
            const kind = crypto.randomUUID();
            const documents = pairs.map(([id, value]) => ({
              kind: `${kind}${value}`,
              id,
              value: `${id}|${value}`,
              if_version: 0,
            }));
            await store?.commit({ run: `r${kind}`, seen: 0, events: [draft()], documents });
            for (const document of documents)
              expect(await store?.get(document.kind, document.id)).toEqual({
                version: 1,
                value: document.value,
              });
          },
        ),
        { numRuns: 20 },
      );
    }));
});
