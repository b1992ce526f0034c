import { describe, expect, it } from "vitest";
import { draft, expectConflict, upTo, type Using } from "./store-kit.ts";

/** What any store promises about its documents. */
export function describeDocuments(name: string, using: Using): void {
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
}
