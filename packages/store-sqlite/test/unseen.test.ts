import { join } from "node:path";
import type { LogEvent } from "@bylaw/kernel";
import { StoreConflict, type Receipt, type Store } from "@bylaw/store";
import { temporaryFolder } from "@bylaw/testing";
import { expect, it } from "vitest";
import { openSqliteStore } from "../src/index.ts";
import { closing, draft, logOf, upTo } from "./kit.ts";

const LENGTHS = [10, 500, 3_000, 9_000];

it.each([1, 3])(
  "shows a writer exactly the events between what it saw and what it wrote, connections: %i",
  async (connections) => {
    const file = join(temporaryFolder(), "store.db");
    const stores: Store[] = [];
    for (const _ of upTo(connections)) stores.push(await closing(openSqliteStore(file)));
    const shown: {
      readonly run: string;
      readonly seen: number;
      readonly unseen: readonly LogEvent[];
      readonly first: number;
    }[] = [];
    const write = async (writer: number): Promise<void> => {
      const store = stores[writer % connections] as Store;
      // More runs than are kept in memory, and two that get most of the writes.
      const run = writer <= 40 ? `r${writer % 2}` : `r${writer}`;
      let seen = 0;
      for (const n of upTo(12)) {
        let last: readonly LogEvent[] = [];
        const admit = (unseen: readonly LogEvent[]): void => {
          last = unseen;
          if (n === 9) throw new StoreConflict("document", "refused by its writer");
        };
        // Some fail on a document, so their events must not be shown to the others.
        const documents =
          writer % 3 === 0 && n % 2 === 0
            ? [{ kind: "k", id: "d", value: "v", if_version: 7 }]
            : [];
        const text = "x".repeat(LENGTHS[(writer + n) % LENGTHS.length] ?? 0);
        const events = upTo((n % 3) + 1).map((part) =>
          draft({ details: { writer, n, part, text } }),
        );
        try {
          const receipt = await store.commit({ run, seen, events, documents, admit });
          shown.push({ run, seen, unseen: last, first: receipt.events[0]?.sequence ?? 0 });
          if (n % 4 !== 0) seen = receipt.events.at(-1)?.sequence ?? 0;
        } catch (error) {
          expect(error).toBeInstanceOf(StoreConflict);
        }
      }
    };
    await Promise.all(upTo(120).map(write));
    const logs = new Map<string, readonly LogEvent[]>();
    for (const run of new Set(shown.map((one) => one.run)))
      logs.set(run, await logOf(stores[0] as Store, run));
    for (const { run, seen, unseen, first } of shown)
      expect(unseen).toEqual(logs.get(run)?.slice(seen, first - 1));
    expect(shown.length).toBeGreaterThan(900);
  },
);

it("places a write after all others of its transaction, however many runs that has", async () => {
  const file = join(temporaryFolder(), "store.db");
  const runs = upTo(70).map((n) => `r${n}`);
  const first = await openSqliteStore(file);
  for (const run of runs) await first.commit({ run, seen: 0, events: [draft(), draft()] });
  await first.close();
  // One store with nothing in memory gets more runs with earlier events than it keeps in memory.
  const store = await closing(openSqliteStore(file));
  const write = (run: string): Promise<Receipt> =>
    store.commit({ run, seen: 0, events: [draft()], admit: () => {} });
  const order = ["new", "new", ...runs, "new", "r1", "r2"];
  for (let rounds = 1; rounds <= 5; rounds += 1) {
    const receipts = await Promise.all(order.map(write));
    for (const [at, { events }] of receipts.entries())
      expect(
        (await logOf(store, order[at])).find(({ sequence }) => sequence === events[0]?.sequence),
      ).toEqual(events[0]);
  }
  expect(await logOf(store, "new")).toHaveLength(15);
  for (const run of runs)
    expect(await logOf(store, run)).toHaveLength(run === "r1" || run === "r2" ? 12 : 7);
});
