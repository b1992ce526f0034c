import { deepStrictEqual as equal, notEqual, ok } from "node:assert/strict";
import type { LogEvent } from "@bylaw/kernel";
import { failureOf, draft, logOf, sequences, upTo, write, type Group } from "./kit.ts";

export const logs: Group = {
  "numbers events from 1 without gaps, separately in each run, and keeps the order of fields":
    async ({ store }) => {
      const first = await write(store, { events: [draft(), draft({ event_type: "other" })] });
      const second = await write(store, { seen: 2 });
      const other = await write(store, { run: "r2" });
      equal(
        [first, second, other].map(({ events }) => sequences(events)),
        [[1, 2], [3], [1]],
      );
      equal(first.replayed, false);
      const log = await store.events("r1", 0, 100);
      equal(log, [...first.events, ...second.events]);
      equal(Object.keys(log[0] ?? {}), [
        "timestamp",
        "sequence",
        "session_id",
        "event_type",
        "agent_id",
        "task_id",
        "details",
        "hash",
      ]);
      const { sequence, hash, ...rest } = log[0] as LogEvent;
      equal([sequence, rest], [1, draft()]);
      equal(typeof hash, "string");
    },

  "returns every kind of value unchanged": async ({ store }) => {
    const details = {
      text: 'é\u2028"\\ 😀\u0000',
      number: 1e21,
      small: 5e-324,
      list: [null, true, [], {}],
      nested: { a: { b: 1 } },
    };
    await write(store, { events: [draft({ details, agent_id: null, task_id: "T'1;--" })] });
    const [read] = await logOf(store);
    equal([read?.details, read?.agent_id, read?.task_id], [details, null, "T'1;--"]);
  },

  "returns the same text as its receipt, so that a late mirror writes the same lines": async ({
    store,
  }) => {
    const details = { z: 1, a: { "10": -0, "9": 1.5, b: [3, { y: 1, x: 2 }] }, é: "e", E: 0.1 };
    const { events } = await write(store, { events: [draft({ details })] });
    equal(JSON.stringify(await logOf(store)), JSON.stringify(events));
  },

  "is read page by page": async ({ store }) => {
    await write(store, { events: upTo(25).map((n) => draft({ details: { n } })) });
    equal(sequences(await store.events("r1", 0, 10)), upTo(10));
    equal(sequences(await store.events("r1", 20, 10)), [21, 22, 23, 24, 25]);
    equal(await store.events("r1", 25, 10), []);
    equal(await store.events("r1", 99, 10), []);
    equal(await store.events("never", 0, 10), []);
  },

  "accepts concurrent commits without a gap and without losing one": async ({ store }) => {
    const receipts = await Promise.all(
      upTo(50).map((n) =>
        write(store, { events: [draft({ details: { n } }), draft({ details: { n } })] }),
      ),
    );
    const log = await logOf(store);
    equal(sequences(log), upTo(100));
    for (const { events } of receipts) {
      const [left, right] = events;
      equal((right?.sequence ?? 0) - (left?.sequence ?? 0), 1);
      equal(log[(left?.sequence ?? 0) - 1], left);
    }
  },

  "has no gap if commits in between were refused": async ({ store }) => {
    const refuse = (): never => {
      throw new Error("refused");
    };
    const results = await Promise.allSettled(
      upTo(30).map((n) => write(store, n % 3 === 0 ? { admit: refuse } : {})),
    );
    equal(results.filter(({ status }) => status === "rejected").length, 10);
    equal(sequences(await logOf(store)), upTo(20));
  },

  "is append-only: neither writers nor readers can change an event": async ({ store }) => {
    const details = { n: 1, list: [1] };
    const receipt = await write(store, { events: [draft({ details })] });
    details.n = 2;
    details.list.push(2);
    equal(receipt.events[0]?.details, { n: 1, list: [1] });
    const [read] = await logOf(store);
    equal(read?.details, { n: 1, list: [1] });
    try {
      Object.assign(read?.details ?? {}, { n: 3 });
      Object.assign(receipt.events[0]?.details ?? {}, { n: 4 });
    } catch {
      // A frozen event is as good as a copy.
    }
    equal((await logOf(store))[0]?.details, { n: 1, list: [1] });
  },

  "accepts only valid JSON": async ({ store }) => {
    for (const value of [Number.NaN, 1n, () => {}, "\ud800", new Date(0)]) {
      const details = { value } as unknown as LogEvent["details"];
      ok(
        (await failureOf(write(store, { events: [draft(), draft({ details })] }))) instanceof Error,
      );
    }
    equal(await logOf(store), []);
  },

  "accepts no event that is longer than a line of a log may be": async ({ store }) => {
    const details = { text: "é".repeat(8 * 1_048_576) };
    const [long, short] = await Promise.allSettled([
      write(store, { events: [draft(), draft({ details })] }),
      write(store),
    ]);
    equal([long?.status, short?.status], ["rejected", "fulfilled"]);
    equal(sequences(await logOf(store)), [1]);
  },

  "never changes silently: a commit has an event": async ({ store }) => {
    const refusal = await failureOf(
      write(store, { events: [], documents: [{ kind: "k", id: "d", value: "v" }] }),
    );
    notEqual(refusal, undefined);
    equal(await store.get("k", "d"), undefined);
  },
};
