import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { BylawError } from "@bylaw/kernel";
import type { PostgresServer } from "@bylaw/testing";
import { Client } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { openPostgresStore, type PostgresStoreOptions } from "../src/index.ts";
import { draft, logOf, placeOn, serverOfFile, upTo, type Place } from "./kit.ts";

// One role needs a password; the others of this server log in without one.
const rules = join(mkdtempSync(join(tmpdir(), "bylaw-hba-")), "hba.conf");
chmodSync(dirname(rules), 0o755);
writeFileSync(
  rules,
  "host all guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n",
);
const server = await serverOfFile({ settings: { hba_file: rules } });
afterAll(() => rmSync(dirname(rules), { recursive: true }));
const SECRET = "s3cr3t-Pa55";

async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const place = placeOn(server as PostgresServer);
  try {
    await work(place);
  } finally {
    await place.end();
  }
}

/** The error of opening a store. Fails if any part of the error contains the password. */
async function refusalOf(url: string, options: PostgresStoreOptions = {}): Promise<BylawError> {
  const error: unknown = await openPostgresStore(url, options).then(
    () => new Error("it opened"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BylawError);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(SECRET);
  return error as BylawError;
}

describe("opening a store", () => {
  it.each([
    ["", "no URL"],
    ["nonsense", "no URL"],
    [`mysql://u:${SECRET}@127.0.0.1/db`, "another protocol"],
    [`postgres://u:${SECRET}/x@127.0.0.1/db`, "a password with a slash"],
    [`postgres://u:12#${SECRET}@127.0.0.1/db`, "a password with a hash"],
    [`postgres://u:12/${SECRET}@127.0.0.1/db`, "a password that looks like a port"],
    [`postgres://u:12?${SECRET}@127.0.0.1/db`, "a password with a question mark"],
  ])("refuses `%s`: %s", async (url) => {
    expect((await refusalOf(url)).code).toBe("BYLAW_STORE_UNUSABLE");
  });

  it.each([
    [{ schema: "" }],
    [{ schema: 'a"; drop schema public; --' }],
    [{ schema: "Upper" }],
    [{ schema: "1st" }],
    [{ schema: "pg_catalog" }],
    [{ schema: "information_schema" }],
    [{ schema: "x".repeat(51) }],
    [{ schema: "a\n" }],
    [{ connections: 1 }],
    [{ connections: Number.NaN }],
    [{ retry_ms: -1 }],
    [{ lock_timeout_ms: "1; drop table x" as unknown as number }],
    [{ shcema: "x" } as PostgresStoreOptions],
  ])("refuses the options %j", async (options) => {
    expect((await refusalOf("postgres://127.0.0.1:1/db", options)).code).toBe(
      "BYLAW_STORE_UNUSABLE",
    );
  });

  it("reports that no server is there", async () => {
    const error = await refusalOf(`postgres://u:${SECRET}@127.0.0.1:1/db`, { retry_ms: 50 });
    expect([error.code, error.message]).toEqual([
      "BYLAW_STORE_UNREACHABLE",
      expect.stringContaining("127.0.0.1:1/db"),
    ]);
  });

  it("gives up on a server that does not answer", async () => {
    const mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const { port } = mute.address() as AddressInfo;
    const error = await refusalOf(`postgres://u:${SECRET}@127.0.0.1:${port}/db`, {
      ...{ connect_timeout_ms: 300, retry_ms: 50 },
    });
    expect(error.code).toBe("BYLAW_STORE_UNREACHABLE");
    mute.close();
  });
});

describe.skipIf(server === undefined)("opening a store on a server", () => {
  it("reports that the database is missing", async () => {
    const url = new URL((server as PostgresServer).url);
    url.pathname = "/nowhere";
    const error = await refusalOf(url.href);
    expect([error.code, error.message]).toEqual([
      "BYLAW_STORE_UNREACHABLE",
      expect.stringContaining('database "nowhere" does not exist'),
    ]);
  });

  it.skipIf(server?.external)("reports that the password is wrong without repeating it", () =>
    inPlace(async ({ schema, sql, url }) => {
      await sql("create role guarded superuser login password 'another'");
      const as = (password: string): string =>
        Object.assign(new URL(url), { username: "guarded", password }).href;
      for (const password of [SECRET, ""]) {
        const error = await refusalOf(as(password), { schema });
        expect([error.code, error.fix]).toEqual([
          "BYLAW_STORE_UNREACHABLE",
          expect.stringContaining("user and password"),
        ]);
      }
      await (await openPostgresStore(as("another"), { schema })).close();
      await sql("drop schema {schema} cascade; drop role guarded");
    }),
  );

  it("creates the schema once, however many open it at the same time", () =>
    inPlace(async ({ open, sql }) => {
      const stores = await Promise.all(upTo(8).map(() => open({ connections: 2 })));
      expect(await sql("select version from {schema}.bylaw_versions")).toEqual([{ version: 1 }]);
      await Promise.all(
        stores.map((store, n) =>
          store.commit({ run: "r1", seen: 0, events: [draft({ details: { n } })] }),
        ),
      );
      expect(await logOf(stores[0] as (typeof stores)[0], "r1")).toHaveLength(8);
      await Promise.all(stores.map((store) => store.close()));
    }));

  it("refuses a schema with other tables", () =>
    inPlace(async ({ open, sql }) => {
      await sql("create schema {schema}");
      await sql("create table {schema}.events (id integer)");
      await expect(open()).rejects.toFailWith("BYLAW_STORE_UNUSABLE");
    }));

  it.skipIf(server?.external)(
    "works for a role that may use the schema but not create one, and tells another role what it lacks",
    () =>
      inPlace(async ({ open, sql, schema, url }) => {
        await (await open()).close();
        await sql("create role worker login; create role stranger login");
        await sql(
          "grant usage on schema {schema} to worker; grant select, insert, update, delete on all tables in schema {schema} to worker",
        );
        const as = (role: string): string => Object.assign(new URL(url), { username: role }).href;
        const store = await openPostgresStore(as("worker"), { schema });
        expect((await store.commit({ run: "r1", seen: 0, events: [draft()] })).events).toHaveLength(
          1,
        );
        await store.close();
        const error = await refusalOf(as("stranger"), { schema });
        expect([error.code, error.fix]).toEqual([
          "BYLAW_STORE_FAILED",
          expect.stringContaining("Grant"),
        ]);
        await sql("drop owned by worker; drop role worker; drop role stranger");
      }),
  );

  it.skipIf(server?.external)("refuses an isolation level at which locks are not enough", () =>
    inPlace(async ({ schema, sql, url }) => {
      await sql(
        "create role careful superuser login; alter role careful set default_transaction_isolation = 'repeatable read'",
      );
      const error = await refusalOf(Object.assign(new URL(url), { username: "careful" }).href, {
        schema,
      });
      expect([error.code, error.message]).toEqual([
        "BYLAW_STORE_UNUSABLE",
        expect.stringContaining("repeatable read"),
      ]);
      await sql("drop role careful");
    }),
  );

  it.skipIf(server?.external)("waits for the disk even if its role turns that off", () =>
    inPlace(async ({ open, schema, sql, url }) => {
      await (await open()).close();
      await sql("create role hasty superuser login; alter role hasty set synchronous_commit = off");
      const client = new Client(Object.assign(new URL(url), { username: "hasty" }).href);
      await client.connect();
      const level = async (): Promise<unknown> =>
        (await client.query("show synchronous_commit")).rows[0];
      expect(await level()).toEqual({ synchronous_commit: "off" });
      await client.query("begin");
      await client.query(`select "${schema}".begin_write(1000)`);
      expect(await level()).toEqual({ synchronous_commit: "on" });
      await client.query("rollback");
      await client.end();
      await sql("drop role hasty");
    }),
  );

  it("reports when the schema is dropped while it is open", () =>
    inPlace(async ({ open, sql }) => {
      const store = await open({ retry_ms: 200 });
      await store.commit({ run: "r1", seen: 0, events: [draft()] });
      await sql("drop schema {schema} cascade");
      await expect(store.events("r1", 0, 1)).rejects.toMatchObject({
        code: "BYLAW_STORE_FAILED",
        fix: expect.stringContaining("Open") as string,
      });
      await expect(store.commit({ run: "r1", seen: 1, events: [draft()] })).rejects.toBeInstanceOf(
        BylawError,
      );
      await store.close();
    }));
});
