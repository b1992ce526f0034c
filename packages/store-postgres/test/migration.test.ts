import { digestedText } from "@bylaw/log";
import type { PostgresServer } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { Database } from "../src/database.ts";
import { openPostgresReader } from "../src/index.ts";
import { settingsOf } from "../src/options.ts";
import { checkSchema, migrate } from "../src/schema/migrate.ts";
import { VERSIONS } from "../src/schema/versions.ts";
import { draft, faultOf, logOf, placeOn, serverOfFile, upTo, type Place } from "./kit.ts";

const server = await serverOfFile();

/** What a later version could add. It fails if it runs twice. */
const LATER = [
  ...VERSIONS,
  "create table {schema}.later (n integer); insert into {schema}.later select length from {schema}.segments",
];

/** Creates a schema of this version with events, a document, a task and a request id. */
async function written(
  work: (place: Place, database: () => Database) => Promise<void>,
): Promise<void> {
  const place = placeOn(server as PostgresServer);
  const databases: Database[] = [];
  try {
    const store = await place.open();
    const documents = [{ kind: "k", id: "d", value: "v" }];
    await store.commit({
      run: "r1",
      seen: 0,
      events: upTo(5).map((n) => draft({ details: { n } })),
      request_id: "q1",
      documents,
    });
    await store.commit({
      run: "r1",
      seen: 5,
      events: [draft()],
      task: { id: "T1", fence: 0, set: { state: "available", queue: "q" } },
    });
    await store.close();
    await work(place, () => {
      const database = new Database(
        settingsOf(place.url, { schema: place.schema, connections: 2 }),
      );
      databases.push(database);
      return database;
    });
  } finally {
    await Promise.all(databases.map((database) => database.end()));
    await place.end();
  }
}

describe.skipIf(server === undefined)("a schema of an earlier version", () => {
  it("is updated once with everything in it, however many open it at the same time", () =>
    written(async ({ sql }, database) => {
      const before = await sql(
        "select run, sequence, text, link from {schema}.events order by sequence",
      );
      await Promise.all(upTo(6).map(() => migrate(database(), LATER)));
      expect(await sql("select version from {schema}.bylaw_versions order by version")).toEqual([
        { version: 1 },
        { version: 2 },
      ]);
      expect(await sql("select sum(n)::int as n from {schema}.later")).toEqual([{ n: 6 }]);
      expect(
        await sql("select run, sequence, text, link from {schema}.events order by sequence"),
      ).toEqual(before);
      await checkSchema(database(), LATER.length);
    }));

  it("stays as it is if a step of the update fails", () =>
    written(async ({ open, sql }, database) => {
      await expect(migrate(database(), [...LATER, "select 1 / 0"])).rejects.toFailWith(
        "BYLAW_STORE_FAILED",
      );
      expect(await sql("select version from {schema}.bylaw_versions")).toEqual([{ version: 1 }]);
      expect(await sql("select to_regclass('{schema}.later') as later")).toEqual([{ later: null }]);
      const store = await open();
      const again = await store.commit({ run: "r1", seen: 0, events: [draft()], request_id: "q1" });
      expect([again.replayed, again.events.map(({ sequence }) => sequence)]).toEqual([
        true,
        upTo(5),
      ]);
      expect(await store.get("k", "d")).toEqual({ version: 1, value: "v" });
      const task = {
        queue: "q",
        agent: "a1",
        lease_ms: 1_000,
        event: () => draft({ event_type: "task_claimed" }),
      };
      expect(await store.claim(task)).toMatchObject({
        task: "T1",
        fence: 1,
        event: { sequence: 7 },
      });
      const log = await logOf(store, "r1");
      expect([log.length, faultOf(log)]).toEqual([7, undefined]);
      await store.close();
    }));

  it("is not read before it is updated, and is not opened by an older version afterwards", () =>
    written(async ({ open, url, schema, sql }, database) => {
      await expect(checkSchema(database(), LATER.length)).rejects.toFailWith(
        "BYLAW_STORE_UNUSABLE",
      );
      expect(await sql("select max(version) as version from {schema}.bylaw_versions")).toEqual([
        { version: 1 },
      ]);
      await migrate(database(), LATER);
      await expect(open()).rejects.toFailWith("BYLAW_STORE_NEWER");
      await expect(openPostgresReader(url, { schema })).rejects.toFailWith("BYLAW_STORE_NEWER");
    }));
});

describe.skipIf(server === undefined)("events in segments", () => {
  it("are read from any position and in any number, however they were grouped", async () => {
    const place = placeOn(server as PostgresServer);
    const store = await place.open();
    let count = 0;
    const events = (many: number) =>
      upTo(many).map(() =>
        draft({ details: { n: (count += 1), text: "x".repeat((count * 37) % 900) } }),
      );
    // Alone, many at once, in one commit of several segments, and with a document, which takes the checked form of a batch.
    await store.commit({ run: "r1", seen: 0, events: events(1) });
    await Promise.all(upTo(16).map(() => store.commit({ run: "r1", seen: 0, events: events(2) })));
    await store.commit({ run: "r1", seen: 0, events: events(40) });
    await store.commit({
      run: "r1",
      seen: 0,
      events: events(40),
      documents: [{ kind: "k", id: "d", value: "v" }],
    });
    await store.commit({
      run: "r1",
      seen: 0,
      events: [draft({ details: { n: (count += 1), text: "y".repeat(20_000) } })],
    });
    const log = await logOf(store, "r1");
    expect([log.length, faultOf(log), log.map(({ details }) => details["n"])]).toEqual([
      count,
      undefined,
      upTo(count),
    ]);
    for (const after of [0, 1, 2, 16, 32, 33, 50, 72, 73, 113, count - 1, count, count + 5]) {
      for (const limit of [0, 1, 2, 7, 100, Infinity])
        expect(await store.events("r1", after, limit)).toEqual(log.slice(after, after + limit));
    }
    const [rows] = await place.sql(
      "select count(*)::int as segments, sum(length)::int as events from {schema}.segments where run = 'r1'",
    );
    expect(rows?.["events"]).toBe(count);
    expect(Number(rows?.["segments"])).toBeLessThan(count / 2);
    expect(
      await place.sql(
        "select sequence::int, text from {schema}.events where run = 'r1' order by sequence",
      ),
    ).toEqual(log.map((event) => ({ sequence: event.sequence, text: digestedText(event) })));
    await store.close();
    await place.end();
  });
});
