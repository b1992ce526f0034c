import { describe, expect, it } from "vitest";
import { StoreConflict, type LogEvent } from "@bylaw/kernel";
import { draft, expectConflict, sequences, upTo, type Using } from "./store-kit.ts";

/** What any store promises about its logs and commits. */
export function describeLog(name: string, using: Using): void {
  describe(`the log of ${name}`, () => {
    it(
      "numbers events from 1 without gaps, in each run for itself, and keeps the envelope's order",
      using(async (store) => {
        const first = await store.commit({ run: "r1", seen: 0, events: [draft(), draft({ event_type: "other" })] });
        const second = await store.commit({ run: "r1", seen: 2, events: [draft()] });
        const other = await store.commit({ run: "r2", seen: 0, events: [draft()] });
        expect([first, second, other].map(({ events }) => sequences(events))).toEqual([[1, 2], [3], [1]]);
        expect(first.replayed).toBe(false);
        const log = await store.events("r1", 0, 100);
        expect(log).toEqual([...first.events, ...second.events]);
        expect(Object.keys(log[0] ?? {}).slice(0, 7)).toEqual([
          "timestamp",
          "sequence",
          "session_id",
          "event_type",
          "agent_id",
          "task_id",
          "details",
        ]);
        expect(log[0]).toMatchObject({ ...draft(), sequence: 1 });
      }),
    );

    it(
      "gives back every kind of value as it was",
      using(async (store) => {
        const details = { text: 'é\u2028"\\ 😀\u0000', number: 1e21, small: 5e-324, list: [null, true, [], {}], nested: { a: { b: 1 } } };
        await store.commit({ run: "r1", seen: 0, events: [draft({ details, agent_id: null, task_id: "T'1;--" })] });
        expect(await store.events("r1", 0, 1)).toMatchObject([{ details, agent_id: null, task_id: "T'1;--" }]);
      }),
    );

    it(
      "is read page by page",
      using(async (store) => {
        await store.commit({ run: "r1", seen: 0, events: upTo(25).map((n) => draft({ details: { n } })) });
        expect(sequences(await store.events("r1", 0, 10))).toEqual(upTo(10));
        expect(sequences(await store.events("r1", 20, 10))).toEqual([21, 22, 23, 24, 25]);
        expect(await store.events("r1", 25, 10)).toEqual([]);
        expect(await store.events("r1", 99, 10)).toEqual([]);
        expect(await store.events("never", 0, 10)).toEqual([]);
      }),
    );

    it(
      "takes concurrent commits without a gap and without losing one",
      using(async (store) => {
        const receipts = await Promise.all(
          upTo(50).map((n) => store.commit({ run: "r1", seen: 0, events: [draft({ details: { n } }), draft({ details: { n } })] })),
        );
        const log = await store.events("r1", 0, 1_000);
        expect(sequences(log)).toEqual(upTo(100));
        for (const { events } of receipts) {
          const [left, right] = events;
          expect((right?.sequence ?? 0) - (left?.sequence ?? 0)).toBe(1);
          expect(log[(left?.sequence ?? 0) - 1]).toEqual(left);
        }
      }),
    );

    it(
      "is append-only: who wrote or read an event cannot change it",
      using(async (store) => {
        const details = { n: 1, list: [1] };
        const written = draft({ details });
        await store.commit({ run: "r1", seen: 0, events: [written] });
        details.n = 2;
        details.list.push(2);
        const [read] = await store.events("r1", 0, 1);
        expect(read?.details).toEqual({ n: 1, list: [1] });
        try {
          Object.assign(read?.details ?? {}, { n: 3 });
        } catch {
          // A frozen event is as good as a copy.
        }
        expect((await store.events("r1", 0, 1))[0]?.details).toEqual({ n: 1, list: [1] });
      }),
    );

    it(
      "never changes silently: a commit has an event",
      using(async (store) => {
        const documents = [{ kind: "k", id: "d", value: "v" }];
        await expect(store.commit({ run: "r1", seen: 0, events: [], documents })).rejects.toThrow();
        expect(await store.get("k", "d")).toBeUndefined();
      }),
    );
  });

  describe(`a commit of ${name}`, () => {
    it(
      "shows `admit` exactly the events that its writer has not seen",
      using(async (store) => {
        await store.commit({ run: "r1", seen: 0, events: upTo(5).map((n) => draft({ details: { n } })) });
        const shown: (readonly number[])[] = [];
        const admit = (unseen: readonly LogEvent[]): void => void shown.push(sequences(unseen));
        await store.commit({ run: "r1", seen: 3, events: [draft()], admit });
        await store.commit({ run: "r1", seen: 6, events: [draft()], admit });
        await store.commit({ run: "r2", seen: 0, events: [draft()], admit });
        expect(shown).toEqual([[4, 5], [], []]);
      }),
    );

    it(
      "leaves nothing behind where `admit` refuses",
      using(async (store) => {
        const refusal = new Error("impossible");
        const pending = store.commit({
          run: "r1",
          seen: 0,
          events: [draft()],
          documents: [{ kind: "k", id: "d", value: "v" }],
          task: { id: "T1", fence: 0, set: { state: "available", queue: "q" } },
          request_id: "q1",
          admit() {
            throw refusal;
          },
        });
        await expect(pending).rejects.toThrow("impossible");
        expect(await store.events("r1", 0, 10)).toEqual([]);
        expect(await store.get("k", "d")).toBeUndefined();
        expect(await store.claim({ queue: "q", agent: "a1", lease_ms: 1_000 })).toBeUndefined();
        const again = await store.commit({ run: "r1", seen: 0, events: [draft()], request_id: "q1" });
        expect(again).toMatchObject({ replayed: false, events: [{ sequence: 1 }] });
      }),
    );

    it(
      "passes on what `admit` throws, a conflict included",
      using(async (store) => {
        const admit = (): void => {
          throw new StoreConflict("seen", "Unexpected event");
        };
        await expectConflict(store.commit({ run: "r1", seen: 0, events: [draft()], admit }), "seen");
      }),
    );

    it(
      "judges in `admit` what it then writes on: of racing writers that allow one, one writes",
      using(async (store) => {
        const admit = (unseen: readonly LogEvent[]): void => {
          if (unseen.length > 0) throw new StoreConflict("seen", "Unexpected event");
        };
        const results = await Promise.allSettled(upTo(10).map(() => store.commit({ run: "r1", seen: 0, events: [draft()], admit })));
        expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
        expect(sequences(await store.events("r1", 0, 100))).toEqual([1]);
      }),
    );

    it(
      "that is repeated under its request id gives the first receipt and writes nothing",
      using(async (store) => {
        const commit = {
          run: "r1",
          seen: 0,
          events: [draft()],
          documents: [{ kind: "k", id: "d", value: "v", if_version: 0 }],
          request_id: "q1",
        };
        const first = await store.commit(commit);
        let admitted = 0;
        const second = await store.commit({ ...commit, events: [draft({ event_type: "other" })], admit: () => void (admitted += 1) });
        expect(second).toEqual({ events: first.events, replayed: true });
        expect(admitted).toBe(0);
        expect(await store.events("r1", 0, 10)).toHaveLength(1);
        expect(await store.get("k", "d")).toEqual({ version: 1, value: "v" });
      }),
    );

    it(
      "that is repeated at the same time is written once",
      using(async (store) => {
        const commit = { run: "r1", seen: 0, events: [draft()], request_id: "q1" };
        const receipts = await Promise.all(upTo(8).map(() => store.commit(commit)));
        expect(receipts.filter(({ replayed }) => !replayed)).toHaveLength(1);
        expect(new Set(receipts.map(({ events }) => JSON.stringify(events))).size).toBe(1);
        expect(await store.events("r1", 0, 10)).toHaveLength(1);
      }),
    );

    it(
      "is not taken for another run's commit with the same request id",
      using(async (store) => {
        await store.commit({ run: "r1", seen: 0, events: [draft()], request_id: "q1" });
        const other = await store.commit({ run: "r2", seen: 0, events: [draft()], request_id: "q1" });
        expect(other.replayed).toBe(false);
        expect(await store.events("r2", 0, 10)).toHaveLength(1);
      }),
    );
  });
}
