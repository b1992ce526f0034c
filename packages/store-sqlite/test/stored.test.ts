import { join } from "node:path";
import { NO_LINK, eventBody, digestedText, linkOf } from "@bylaw/log";
import { temporaryFolder } from "@bylaw/testing";
import Database from "better-sqlite3";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { openSqliteStore } from "../src/index.ts";
import { eventsIn } from "../src/rows.ts";
import { MIGRATIONS } from "../src/schema.ts";
import { closing, draft, logOf, write } from "./kit.ts";

// `__proto__` is refused at any depth before an event reaches a store.
const keys = fc
  .oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("1", "10", "9", "0", "01", "-1", "a", "B", "é", "constructor"),
  )
  .filter((key) => key !== "__proto__");
const json = fc.letrec((again) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "grapheme" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, 0, -0, 1e21, 5e-324),
    fc.array(again("value"), { maxLength: 4 }),
    fc.dictionary(keys, again("value"), { maxKeys: 5 }),
  ),
})).value;
const details = fc.dictionary(keys, json, { maxKeys: 20 });

it("stores exactly the text that was hashed, and returns events as they will be read", () => {
  fc.assert(
    fc.property(details, fc.string({ unit: "grapheme" }), (given, name) => {
      const event = draft({
        details: given as never,
        agent_id: name,
        task_id: name,
        event_type: name,
      });
      const { text, draft: kept } = eventBody(event);
      expect(text).toBe(digestedText(event));
      const read = eventsIn({ last: 2, bodies: `${text}\n${text}`, hashes: "a\nb" }, 1, 2);
      expect(
        read.map(({ sequence, hash, details: told }) => [sequence, hash, JSON.stringify(told)]),
      ).toEqual([[2, "b", JSON.stringify(kept.details)]]);
    }),
  );
});

it("keeps the hashed text in its file, byte for byte", async () => {
  const file = join(temporaryFolder(), "store.db");
  const store = await closing(openSqliteStore(file));
  const event = draft({ details: { z: 'é\u2028"\\ 😀\u0000\n\r', "10": 1, "9": -0 } });
  await write(store, { events: [event, event] });
  const db = new Database(file, { readonly: true });
  expect(db.prepare("select bodies from segments").pluck().all()).toEqual([
    `${digestedText(event)}\n${digestedText(event)}`,
  ]);
  db.close();
});

it("finds nothing under a name that is not well-formed Unicode, nor what is stored under its replacement character", async () => {
  const store = await closing(openSqliteStore(join(temporaryFolder(), "store.db")));
  await write(store, { run: "\ufffd", documents: [{ kind: "\ufffd", id: "\ufffd", value: "v" }] });
  expect(await store.events("\ud800", 0, 10)).toEqual([]);
  expect([await store.get("\ud800", "\ufffd"), await store.get("\ufffd", "\udfff")]).toEqual([
    undefined,
    undefined,
  ]);
  expect(await store.get("\ufffd", "\ufffd")).toEqual({ version: 1, value: "v" });
});

it("forgets a request id after its retention time, and not before", async () => {
  let at = Date.UTC(2026, 0, 1);
  const store = await closing(
    openSqliteStore(join(temporaryFolder(), "store.db"), {
      now: () => at,
      request_retention_ms: 1_000,
    }),
  );
  await write(store, { request_id: "q1" });
  at += 999;
  await store.sweep(() => draft());
  expect((await write(store, { request_id: "q1" })).replayed).toBe(true);
  at += 1;
  expect((await write(store, { request_id: "q1" })).replayed).toBe(false);
  await store.sweep(() => draft());
  expect((await write(store, { request_id: "q1" })).replayed).toBe(true);
  expect(await logOf(store)).toHaveLength(2);
});

it("works when its clock goes backwards", async () => {
  let at = Date.UTC(2026, 0, 2);
  const store = await closing(
    openSqliteStore(join(temporaryFolder(), "store.db"), { now: () => at }),
  );
  const expires_at = new Date(at + 1_000).toISOString();
  await write(store, {
    documents: [{ kind: "k", id: "d", value: "v", expires_at }],
    request_id: "q1",
  });
  at -= 24 * 60 * 60 * 1_000;
  expect((await store.get("k", "d"))?.value).toBe("v");
  expect((await write(store, { request_id: "q1" })).replayed).toBe(true);
  await write(store);
  expect((await logOf(store)).map(({ sequence }) => sequence)).toEqual([1, 2]);
});

it("reads any page of any run, indexed or not, on every connection and inside a commit", async () => {
  const file = join(temporaryFolder(), "store.db");
  const stores = [
    await closing(openSqliteStore(file)),
    await closing(openSqliteStore(file)),
  ] as const;
  const lengths = new Map<string, number>();
  const sequencesOf = (events: readonly { readonly sequence: number }[]): readonly number[] =>
    events.map(({ sequence }) => sequence);
  // Sizes just below and above the number at which new segments are indexed.
  for (const [step, size] of [1, 254, 1, 1, 30, 255, 256, 257, 600, 3].entries()) {
    const run = `r${step % 3}`;
    const before = lengths.get(run) ?? 0;
    const events = Array.from({ length: size }, (_, n) =>
      draft({ details: { n: before + n + 1 } }),
    );
    const shown: (readonly number[])[] = [];
    const seen = Math.max(0, before - 2);
    await stores[step % 2 === 0 ? 0 : 1].commit({
      run,
      seen,
      events,
      admit: (unseen) => void shown.push(sequencesOf(unseen)),
    });
    const after = (from: number, to: number): readonly number[] =>
      Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n + 1);
    expect(shown).toEqual([after(seen, before)]);
    lengths.set(run, before + size);
    for (const [name, length] of lengths) {
      for (const from of [0, 1, 100, length - 2, length - 1, length, length + 5]) {
        for (const limit of [1, 7, 1_000_000]) {
          const start = Math.max(0, from);
          const wanted = after(start, Math.min(length, start + limit));
          for (const store of stores)
            expect(sequencesOf(await store.events(name, start, limit))).toEqual(wanted);
        }
      }
    }
  }
  for (const [name, length] of lengths) {
    const log = await logOf(stores[0], name);
    expect(log.map(({ details }) => details["n"])).toEqual(Array.from({ length }, (_, n) => n + 1));
  }
});

it("migrates a file of the first schema with its events, indexed or not, and continues", async () => {
  const file = join(temporaryFolder(), "store.db");
  const drafts = Array.from({ length: 300 }, (_, n) => draft({ details: { n: n + 1 } }));
  const db = new Database(file);
  db.exec(MIGRATIONS[0] ?? "");
  db.pragma("application_id = 1115253879");
  db.pragma("user_version = 1");
  const insert = db.prepare("insert into events (run, sequence, body, hash) values (1, ?, ?, ?)");
  let link = NO_LINK;
  for (const [index, event] of drafts.entries()) {
    link = linkOf(link, index + 1, event);
    insert.run(index + 1, digestedText(event), link);
  }
  db.prepare("insert into runs (id, name, head, link) values (1, 'r1', 300, ?)").run(link);
  // The first events are in the index, and the others are found by a scan.
  db.exec(
    "insert into places (run, sequence, event) select run, sequence, id from events where id <= 256; update indexed set last = 256",
  );
  db.close();
  const store = await closing(openSqliteStore(file));
  await Promise.all(
    [1, 2, 3].map((n) => write(store, { events: [draft({ details: { n: 300 + n } })] })),
  );
  const log = await logOf(store);
  expect(log.map(({ details: { n } }) => n)).toEqual(Array.from({ length: 303 }, (_, n) => n + 1));
  let before = NO_LINK;
  for (const event of log)
    expect(event.hash).toBe((before = linkOf(before, event.sequence, event)));
  expect((await store.events("r1", 250, 10)).map(({ sequence }) => sequence)).toEqual(
    log.slice(250, 260).map(({ sequence }) => sequence),
  );
});

it("writes the commits of one tick in one row, and shows all of them to reads in between", async () => {
  const file = join(temporaryFolder(), "store.db");
  const store = await closing(openSqliteStore(file));
  const shown: number[] = [];
  const commits = Array.from({ length: 9 }, (_, n) =>
    write(store, {
      events: [draft({ details: { n } }), draft()],
      request_id: `q${n % 8}`,
      ...(n === 5
        ? { admit: (unseen) => void shown.push(...unseen.map(({ sequence }) => sequence)) }
        : {}),
    }),
  );
  const receipts = await Promise.all(commits);
  expect(shown).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect([receipts[8]?.replayed, receipts[8]?.events]).toEqual([true, receipts[0]?.events]);
  const db = new Database(file, { readonly: true });
  expect(db.prepare("select last, length from segments order by id").raw().all()).toEqual([
    [10, 10],
    [16, 6],
  ]);
  db.close();
  expect((await logOf(store)).map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 16 }, (_, n) => n + 1),
  );
});
