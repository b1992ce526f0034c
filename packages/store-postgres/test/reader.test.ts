import type { PostgresServer } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { openPostgresReader } from "../src/index.ts";
import { draft, placeOn, serverOfFile, type Place } from "./kit.ts";

const server = await serverOfFile();

async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const place = placeOn(server as PostgresServer);
  try {
    await work(place);
  } finally {
    await place.end();
  }
}

const at = (minute: number): string => `2026-01-02T03:0${minute}:00.000Z`;

describe.skipIf(server === undefined)("opening a store for reading", () => {
  it("is refused without a store, and creates none", async () => {
    await inPlace(async ({ url, schema, sql }) => {
      await expect(openPostgresReader(url, { schema })).rejects.toMatchObject({
        code: "BYLAW_STORE_UNUSABLE",
        message: expect.stringContaining("holds no store"),
      });
      expect(await sql("select from pg_namespace where nspname = $1", [schema])).toEqual([]);
    });
  });

  it("reads events, documents and runs, including long names, and reports what others write", async () => {
    await inPlace(async ({ url, schema, open }) => {
      const store = await open();
      const reader = await openPostgresReader(url, { schema, poll_ms: 50 });
      const long = "é\u0000".repeat(900);
      try {
        expect(await reader.runs()).toEqual([]);
        const grown = new Promise<unknown>(
          (resolve) => void reader.watch((run, head) => resolve([run, head])).catch(resolve),
        );
        await store.commit({
          run: "b",
          seen: 0,
          events: [draft({ timestamp: at(1) }), draft({ timestamp: at(2) })],
        });
        expect(await grown).toEqual(["b", 2]);
        const document = { kind: "k", id: "d", value: "1" };
        await store.commit({
          run: long,
          seen: 0,
          events: [draft({ timestamp: at(3), details: { x: '"timestamp":"no"}\u0000' } })],
          documents: [document],
        });
        expect(await reader.runs()).toEqual([
          { run: "b", head: 2, first: at(1), last: at(2) },
          { run: long, head: 1, first: at(3), last: at(3) },
        ]);
        expect(await reader.events("b", 1, 9)).toEqual(await store.events("b", 1, 9));
        expect(await reader.get("k", "d")).toEqual({ version: 1, value: "1" });
      } finally {
        await reader.close();
        await store.close();
      }
      await expect(reader.runs()).rejects.toFailWith("BYLAW_STORE_CLOSED");
    });
  });

  it("needs a role with `select` and nothing more", async () => {
    await inPlace(async ({ url, schema, open, sql }) => {
      const store = await open();
      await store.commit({ run: "main", seen: 0, events: [draft()] });
      await store.close();
      const role = `reads_${schema}`;
      await sql(`create role "${role}" login`);
      try {
        await sql(`grant usage on schema {schema} to "${role}"`);
        await sql(`grant select on all tables in schema {schema} to "${role}"`);
        const theirs = new URL(url);
        theirs.username = role;
        theirs.password = "";
        const reader = await openPostgresReader(theirs.href, { schema });
        expect((await reader.runs()).map(({ run, head }) => [run, head])).toEqual([["main", 1]]);
        expect(await reader.events("main", 0, 9)).toHaveLength(1);
        await reader.close();
      } finally {
        await sql(`drop owned by "${role}"`);
        await sql(`drop role "${role}"`);
      }
    });
  });
});
