import { describe, expect, it } from "vitest";
import { StoreConflict, type Claim, type EventDraft, type LogEvent, type Store } from "../src/index.ts";

/** A clock that the test moves; milliseconds since 1970. */
export interface Clock {
  readonly now: () => number;
  readonly advance: (ms: number) => void;
}

/** What a store must bring to be held to the contract. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Ends what the factory started, besides the store itself. */
  readonly stop?: () => Promise<void>;
}

export type StoreFactory = (clock: Clock) => StoreUnderTest | Promise<StoreUnderTest>;

const START = Date.UTC(2026, 0, 2, 3, 4, 5);

const draft = (fields: Partial<EventDraft> = {}): EventDraft => ({
  timestamp: "2026-01-02T03:04:05.000Z",
  session_id: "6f0f6a2e-5a0f-4b43-9d0e-0b8c8f3f0a01",
  event_type: "note",
  agent_id: "a1",
  task_id: null,
  details: { n: 1 },
  ...fields,
});

const sequences = (events: readonly LogEvent[]): readonly number[] => events.map(({ sequence }) => sequence);
const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

/** Holds any store to the contract of `Store`: the same sentences for every engine. */
export function describeStore(name: string, create: StoreFactory): void {
  const using =
    (work: (store: Store, clock: Clock) => Promise<void>): (() => Promise<void>) =>
    async () => {
      let at = START;
      const clock: Clock = { now: () => at, advance: (ms) => (at += ms) };
      const { store, stop } = await create(clock);
      try {
        await work(store, clock);
      } finally {
        await store.close();
        await stop?.();
      }
    };
  const conflict = (what: StoreConflict["what"]) => ({ name: "StoreConflict", what });

  async function expectConflict(pending: Promise<unknown>, what: StoreConflict["what"]): Promise<void> {
    const error: unknown = await pending.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(StoreConflict);
    expect(error).toMatchObject(conflict(what));
  }

  async function addTasks(store: Store, count: number, queue = "q"): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const set = { state: "available", queue, phase: "PLAN" } as const;
      await store.commit({ run: `r${index % 3}`, seen: 0, events: [draft()], task: { id: `${queue}-${index}`, fence: 0, set } });
    }
  }

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

  describe(`a document of ${name}`, () => {
    it(
      "has versions from 1, each write one more",
      using(async (store) => {
        expect(await store.get("k", "d")).toBeUndefined();
        for (const version of [1, 2, 3]) {
          await store.commit({ run: "r1", seen: 0, events: [draft()], documents: [{ kind: "k", id: "d", value: `v${version}` }] });
          expect(await store.get("k", "d")).toEqual({ version, value: `v${version}` });
        }
        expect(await store.get("other", "d")).toBeUndefined();
      }),
    );

    it(
      "keeps kinds and ids apart, however they are spelt",
      using(async (store) => {
        const names = [
          ["a", "b:c"],
          ["a:b", "c"],
          ["a\u0000b", "c"],
          ["a", "b\u0000c"],
          ["__proto__", "constructor"],
        ] as const;
        const documents = names.map(([kind, id]) => ({ kind, id, value: `${kind}|${id}` }));
        await store.commit({ run: "r1", seen: 0, events: [draft()], documents });
        for (const [kind, id] of names) expect((await store.get(kind, id))?.value).toBe(`${kind}|${id}`);
      }),
    );

    it(
      "is written only on the version that the writer saw, else nothing is",
      using(async (store) => {
        const write = (if_version: number, value: string) =>
          store.commit({
            run: "r1",
            seen: 0,
            events: [draft()],
            documents: [
              { kind: "k", id: "free", value },
              { kind: "k", id: "d", value, if_version },
            ],
          });
        await expectConflict(write(1, "too early"), "document");
        expect(await store.get("k", "free")).toBeUndefined();
        expect(await store.events("r1", 0, 10)).toEqual([]);
        await write(0, "first");
        await expectConflict(write(0, "again"), "document");
        await expectConflict(write(2, "ahead"), "document");
        await write(1, "second");
        expect(await store.get("k", "d")).toEqual({ version: 2, value: "second" });
        expect(await store.events("r1", 0, 10)).toHaveLength(2);
      }),
    );

    it(
      "that many create at once is created by one, and the others leave no event",
      using(async (store) => {
        const results = await Promise.allSettled(
          upTo(10).map((n) =>
            store.commit({
              run: `r${n}`,
              seen: 0,
              events: [draft()],
              documents: [{ kind: "k", id: "d", value: String(n), if_version: 0 }],
            }),
          ),
        );
        const winners = results.flatMap(({ status }, index) => (status === "fulfilled" ? [index + 1] : []));
        expect(winners).toHaveLength(1);
        expect(await store.get("k", "d")).toEqual({ version: 1, value: String(winners[0]) });
        for (const n of upTo(10)) expect(await store.events(`r${n}`, 0, 10)).toHaveLength(n === winners[0] ? 1 : 0);
      }),
    );

    it(
      "is absent once it is deleted",
      using(async (store) => {
        const write = (value: string | null) =>
          store.commit({ run: "r1", seen: 0, events: [draft()], documents: [{ kind: "k", id: "d", value }] });
        await write("v");
        await write(null);
        expect(await store.get("k", "d")).toBeUndefined();
        await write(null);
        const fresh = store.commit({
          run: "r1",
          seen: 0,
          events: [draft()],
          documents: [{ kind: "k", id: "d", value: "w", if_version: 0 }],
        });
        expect((await fresh).replayed).toBe(false);
      }),
    );

    it(
      "that expires is absent from that moment, before any sweep, and may be created anew",
      using(async (store, clock) => {
        const expires_at = new Date(clock.now() + 1_000).toISOString();
        const write = (value: string, if_version: number) =>
          store.commit({ run: "r1", seen: 0, events: [draft()], documents: [{ kind: "k", id: "d", value, if_version, expires_at }] });
        await write("v", 0);
        clock.advance(999);
        expect((await store.get("k", "d"))?.value).toBe("v");
        clock.advance(1);
        expect(await store.get("k", "d")).toBeUndefined();
        await expectConflict(write("late", 1), "document");
        await store.commit({ run: "r1", seen: 0, events: [draft()], documents: [{ kind: "k", id: "d", value: "new", if_version: 0 }] });
        expect((await store.get("k", "d"))?.value).toBe("new");
      }),
    );

    it(
      "that expires is swept once, and nothing else is",
      using(async (store, clock) => {
        const expires_at = new Date(clock.now() + 1_000).toISOString();
        const documents = [
          { kind: "k", id: "short", value: "v", expires_at },
          { kind: "k", id: "long", value: "v" },
        ];
        await store.commit({ run: "r1", seen: 0, events: [draft()], documents });
        expect(await store.sweep()).toBe(0);
        clock.advance(1_000);
        expect(await store.sweep()).toBe(1);
        expect(await store.sweep()).toBe(0);
        expect((await store.get("k", "long"))?.value).toBe("v");
      }),
    );
  });

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

  describe(`a watcher of ${name}`, () => {
    it(
      "is told how far a run has grown, and no more once it stops",
      using(async (store) => {
        const hints: (readonly [string, number])[] = [];
        let hinted: () => void = () => {};
        const hint = (): Promise<void> => new Promise((resolve) => (hinted = resolve));
        let next = hint();
        const stop = await store.watch((run, head) => {
          hints.push([run, head]);
          hinted();
        });
        await store.commit({ run: "r1", seen: 0, events: [draft(), draft()] });
        await next;
        next = hint();
        await store.commit({ run: "r2", seen: 0, events: [draft()] });
        await next;
        expect(hints).toEqual([
          ["r1", 2],
          ["r2", 1],
        ]);
        stop();
        await store.commit({ run: "r1", seen: 2, events: [draft()] });
        await new Promise((resolve) => setImmediate(resolve));
        expect(hints).toHaveLength(2);
      }),
    );
  });

  describe(`everything at once on ${name}`, () => {
    it(
      "leaves every log without a gap and every loser without a trace",
      using(async (store) => {
        await addTasks(store, 5);
        let written = 5;
        const unexpected: unknown[] = [];
        await Promise.all(
          upTo(16).map(async (writer) => {
            for (const step of upTo(20)) {
              try {
                const choice = (writer * 31 + step * 7) % 4;
                if (choice === 0) {
                  const claim = await store.claim({ queue: "q", agent: `a${writer}`, lease_ms: 60_000 });
                  if (claim === undefined) continue;
                  const set = { state: "available", owner: null } as const;
                  await store.commit({ run: claim.run, seen: 0, events: [draft()], task: { id: claim.task, fence: claim.fence, set } });
                } else if (choice === 1) {
                  await store.sweep();
                  continue;
                } else {
                  const documents = [{ kind: "k", id: `d${step % 3}`, value: String(writer), ...(choice === 2 ? { if_version: 0 } : {}) }];
                  await store.commit({ run: `r${(writer + step) % 3}`, seen: 0, events: [draft()], documents });
                }
                written += 1;
              } catch (error) {
                if (!(error instanceof StoreConflict)) unexpected.push(error);
              }
            }
          }),
        );
        expect(unexpected).toEqual([]);
        const logs = await Promise.all(["r0", "r1", "r2"].map((run) => store.events(run, 0, 10_000)));
        for (const log of logs) expect(sequences(log)).toEqual(upTo(log.length));
        expect(logs.flat()).toHaveLength(written);
      }),
    );
  });
}
