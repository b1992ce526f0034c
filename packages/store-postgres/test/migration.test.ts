import { chainedText } from "@bylaw/log";
import type { PostgresServer } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { openPostgresReader } from "../src/index.ts";
import { VERSIONS } from "../src/schema/versions.ts";
import { draft, faultOf, logOf, placeOn, serverOfFile, upTo, type Place } from "./kit.ts";

const server = await serverOfFile();

/** A schema as version 1 left it, with events, a document, a task, and a request id that came to the second and third event. */
async function versionOne(work: (place: Place) => Promise<void>): Promise<void> {
  const place = placeOn(server as PostgresServer);
  try {
    await place.sql("create schema {schema}");
    await place.sql("create table {schema}.bylaw_versions (version integer primary key, applied_at timestamptz not null default now())");
    await place.sql(VERSIONS[0] ?? "");
    await place.sql("insert into {schema}.bylaw_versions (version) values (1)");
    for (const n of upTo(5)) await place.sql("select {schema}.append('r1', $1)", [chainedText(draft({ details: { n } }))]);
    await place.sql("insert into {schema}.receipts (run, request_id, first, last) values ('r1', 'q1', 2, 3)");
    await place.sql("insert into {schema}.documents (kind, id, version, value) values ('k', 'd', 4, 'v')");
    await place.sql("insert into {schema}.tasks (id, queue, run, state) values ('T1', 'q', 'r1', 'available')");
    await work(place);
  } finally {
    await place.end();
  }
}

describe.skipIf(server === undefined)("a schema of version 1", () => {
  it("is taken forward with all that is in it, and goes on", () =>
    versionOne(async ({ open, sql }) => {
      const before = await sql("select run, sequence, text, link from {schema}.events order by sequence");
      const store = await open();
      const log = await logOf(store, "r1");
      expect([log.map(({ details }) => details["n"]), faultOf(log)]).toEqual([[1, 2, 3, 4, 5], undefined]);
      expect(await sql("select run, sequence, text, link from {schema}.events order by sequence")).toEqual(before);
      expect(await store.get("k", "d")).toEqual({ version: 4, value: "v" });
      const again = await store.commit({ run: "r1", seen: 0, events: [draft()], request_id: "q1" });
      expect([again.replayed, again.events.map(({ sequence }) => sequence)]).toEqual([true, [2, 3]]);
      const task = { queue: "q", agent: "a1", lease_ms: 1_000, event: () => draft({ event_type: "task_claimed" }) };
      expect(await store.claim(task)).toMatchObject({ task: "T1", fence: 1, event: { sequence: 6 } });
      await store.commit({ run: "r1", seen: 6, events: [draft(), draft()] });
      const grown = await logOf(store, "r1");
      expect([grown.length, faultOf(grown)]).toEqual([8, undefined]);
      await store.close();
    }));

  it("is taken forward once, however many open it at the same time", () =>
    versionOne(async ({ open, sql }) => {
      const stores = await Promise.all(upTo(6).map(() => open({ connections: 2 })));
      expect(await sql("select version from {schema}.bylaw_versions order by version")).toEqual([{ version: 1 }, { version: 2 }]);
      await Promise.all(stores.map((store, n) => store.commit({ run: "r1", seen: 0, events: [draft({ details: { n } })] })));
      const log = await logOf(stores[0] as (typeof stores)[0], "r1");
      expect([log.length, faultOf(log)]).toEqual([11, undefined]);
      await Promise.all(stores.map((store) => store.close()));
    }));

  it("is not read before it was taken forward, and stays as it is", () =>
    versionOne(async ({ url, schema, sql }) => {
      await expect(openPostgresReader(url, { schema })).rejects.toMatchObject({ code: "BYLAW_STORE_UNUSABLE" });
      expect(await sql("select max(version) as version from {schema}.bylaw_versions")).toEqual([{ version: 1 }]);
    }));
});

describe.skipIf(server === undefined)("events in segments", () => {
  it("are read from any place on, as many as are asked for, whatever was written together", async () => {
    const place = placeOn(server as PostgresServer);
    const store = await place.open();
    let count = 0;
    const events = (many: number) => upTo(many).map(() => draft({ details: { n: (count += 1), text: "x".repeat((count * 37) % 900) } }));
    // Alone, by many at once, in one commit of several segments, and with a document, which is the other form of a batch.
    await store.commit({ run: "r1", seen: 0, events: events(1) });
    await Promise.all(upTo(16).map(() => store.commit({ run: "r1", seen: 0, events: events(2) })));
    await store.commit({ run: "r1", seen: 0, events: events(40) });
    await store.commit({ run: "r1", seen: 0, events: events(40), documents: [{ kind: "k", id: "d", value: "v" }] });
    await store.commit({ run: "r1", seen: 0, events: [draft({ details: { n: (count += 1), text: "y".repeat(20_000) } })] });
    const log = await logOf(store, "r1");
    expect([log.length, faultOf(log), log.map(({ details }) => details["n"])]).toEqual([count, undefined, upTo(count)]);
    for (const after of [0, 1, 2, 16, 32, 33, 50, 72, 73, 113, count - 1, count, count + 5]) {
      for (const limit of [0, 1, 2, 7, 100, Infinity])
        expect(await store.events("r1", after, limit)).toEqual(log.slice(after, after + limit));
    }
    const [rows] = await place.sql("select count(*)::int as segments, sum(length)::int as events from {schema}.segments where run = 'r1'");
    expect(rows?.["events"]).toBe(count);
    expect(Number(rows?.["segments"])).toBeLessThan(count / 2);
    expect(await place.sql("select sequence::int, text from {schema}.events where run = 'r1' order by sequence")).toEqual(
      log.map((event) => ({ sequence: event.sequence, text: chainedText(event) })),
    );
    await store.close();
    await place.end();
  });
});
