import { describe, expect, it } from "vitest";
import { StoreConflict } from "@bylaw/kernel";
import { describeDocuments } from "./store-documents.ts";
import { describeLog } from "./store-log.ts";
import { describeTasks } from "./store-tasks.ts";
import { addTasks, draft, sequences, upTo, usingStore, type StoreFactory } from "./store-kit.ts";

/** Holds any store to the contract of `Store`: the same sentences for every engine. */
export function describeStore(name: string, create: StoreFactory): void {
  const using = usingStore(create);
  describeLog(name, using);
  describeDocuments(name, using);
  describeTasks(name, using);

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
