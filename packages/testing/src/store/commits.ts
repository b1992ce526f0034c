import { deepStrictEqual as equal, match, ok } from "node:assert/strict";
import { BylawError, type LogEvent } from "@bylaw/kernel";
import { StoreConflict, type Commit } from "@bylaw/store";
import {
  conflicts,
  draft,
  failureOf,
  logOf,
  sequences,
  take,
  upTo,
  write,
  type Group,
} from "./kit.ts";

export const commits: Group = {
  "writes its input as it was at the call, even if that changes meanwhile": async ({ store }) => {
    const details = { n: 1 };
    const events = [draft({ details })];
    const document = { kind: "k", id: "d", value: "v" };
    const documents = [document];
    const set = { state: "available" as const, queue: "q" };
    const pending = write(store, { events, documents, task: { id: "T1", fence: 0, set } });
    details.n = 2;
    events.push(draft());
    document.value = "other";
    documents.push({ kind: "k", id: "e", value: "v" });
    set.queue = "other";
    await pending;
    equal(
      (await logOf(store)).map((event) => event.details),
      [{ n: 1 }],
    );
    equal([(await store.get("k", "d"))?.value, await store.get("k", "e")], ["v", undefined]);
    equal((await take(store))?.task, "T1");
  },

  "shows `admit` exactly the events that its writer has not seen": async ({ store }) => {
    await write(store, { events: upTo(5).map((n) => draft({ details: { n } })) });
    const shown: (readonly LogEvent[])[] = [];
    const admit = (unseen: readonly LogEvent[]): void => void shown.push(unseen);
    await write(store, { seen: 3, admit });
    await write(store, { seen: 6, admit });
    await write(store, { run: "r2", admit });
    equal(shown.map(sequences), [[4, 5], [], []]);
    equal(shown[0], await store.events("r1", 3, 2));
  },

  "leaves nothing behind if `admit` refuses": async ({ store }) => {
    const pending = write(store, {
      documents: [{ kind: "k", id: "d", value: "v" }],
      task: { id: "T1", fence: 0, set: { state: "available", queue: "q" } },
      request_id: "q1",
      admit() {
        throw new Error("impossible");
      },
    });
    match(String(await failureOf(pending)), /impossible/);
    equal(await logOf(store), []);
    equal(await store.get("k", "d"), undefined);
    equal(await take(store), undefined);
    const again = await write(store, { request_id: "q1" });
    equal([again.replayed, sequences(again.events)], [false, [1]]);
  },

  "passes on what `admit` throws, including a conflict": async ({ store }) => {
    const admit = (): void => {
      throw new StoreConflict("seen", "Another event was written first");
    };
    await conflicts(write(store, { admit }), "seen");
    const refusal = new Error("impossible");
    const refuse = (): void => {
      throw refusal;
    };
    equal((await failureOf(write(store, { admit: refuse }))) === refusal, true);
  },

  "is refused if `admit` is asynchronous": async ({ store }) => {
    const admit = async (): Promise<void> => {
      throw new Error("impossible");
    };
    ok((await failureOf(write(store, { admit }))) instanceof BylawError);
    equal(await logOf(store), []);
  },

  "shows `admit` the log that it then extends: of racing writers that allow one, one writes":
    async ({ store }) => {
      const admit = (unseen: readonly LogEvent[]): void => {
        if (unseen.length > 0) throw new StoreConflict("seen", "Another event was written first");
      };
      for (const round of upTo(3)) {
        const results = await Promise.allSettled(
          upTo(10).map(() => write(store, { seen: round - 1, admit })),
        );
        equal(results.filter(({ status }) => status === "fulfilled").length, 1);
        for (const result of results)
          if (result.status === "rejected") await conflicts(Promise.reject(result.reason), "seen");
      }
      equal(sequences(await logOf(store)), [1, 2, 3]);
    },

  "is refused without affecting others in flight": async ({ store }) => {
    const commit = (n: number) =>
      write(store, {
        run: `r${n % 3}`,
        events: [draft({ details: { n } })],
        documents: [{ kind: "k", id: `d${n}`, value: "v" }],
        admit() {
          if (n % 2 === 0) throw new Error(`refused ${n}`);
        },
      });
    const results = await Promise.allSettled(upTo(20).map(commit));
    for (const [index, result] of results.entries()) {
      const n = index + 1;
      equal(result.status, n % 2 === 0 ? "rejected" : "fulfilled");
      if (result.status === "rejected") match(String(result.reason), new RegExp(`refused ${n}$`));
      equal(await store.get("k", `d${n}`), n % 2 === 0 ? undefined : { version: 1, value: "v" });
    }
  },

  "that is repeated under its request id returns the first receipt and writes nothing": async ({
    store,
  }) => {
    const commit: Partial<Commit> = {
      documents: [{ kind: "k", id: "d", value: "v", if_version: 0 }],
      request_id: "q1",
    };
    const first = await write(store, commit);
    let admitted = 0;
    const second = await write(store, {
      ...commit,
      events: [draft({ event_type: "other" })],
      admit: () => void (admitted += 1),
    });
    equal(second, { events: first.events, replayed: true });
    equal(admitted, 0);
    equal((await logOf(store)).length, 1);
    equal(await store.get("k", "d"), { version: 1, value: "v" });
  },

  "that eight send at the same time under one request id is written once": async ({ store }) => {
    for (const request_id of ["q1", "q2", "q3"]) {
      const twin = {
        request_id,
        documents: [{ kind: "k", id: request_id, value: "v", if_version: 0 }],
      };
      const receipts = await Promise.all(
        upTo(8).map((n) => write(store, { ...twin, events: [draft({ details: { n } }), draft()] })),
      );
      equal(receipts.filter(({ replayed }) => !replayed).length, 1);
      equal(new Set(receipts.map(({ events }) => JSON.stringify(events))).size, 1);
    }
    equal(sequences(await logOf(store)), upTo(6));
  },

  "is not mistaken for another run's commit with the same request id": async ({ store }) => {
    await write(store, { request_id: "q1" });
    const other = await write(store, { run: "r2", request_id: "q1" });
    equal(other.replayed, false);
    equal((await logOf(store, "r2")).length, 1);
  },

  "whose request id was refused before may be sent again": async ({ store }) => {
    const refused = write(store, {
      request_id: "q1",
      documents: [{ kind: "k", id: "d", value: "v", if_version: 3 }],
    });
    await conflicts(refused, "document");
    equal((await write(store, { request_id: "q1" })).replayed, false);
  },
};
