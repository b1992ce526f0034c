import { randomBytes } from "node:crypto";
import { Pool } from "pg";
import type { EventDraft, LogEvent } from "@bylaw/kernel";
import { NO_LINK, linkOf } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { startPostgres, type PostgresOptions, type PostgresServer } from "@bylaw/testing";
import { afterAll } from "vitest";
import { openPostgresStore, type PostgresStoreOptions } from "../src/index.ts";

/** The server of one test file. `undefined` if the machine has none. */
export async function serverOfFile(
  options: PostgresOptions = {},
): Promise<PostgresServer | undefined> {
  const server = await startPostgres(options);
  afterAll(async () => server?.stop());
  return server;
}

/** A schema of its own on a server. */
export interface Place {
  readonly schema: string;
  readonly url: string;
  readonly open: (options?: PostgresStoreOptions) => Promise<Store>;
  /** Sends one statement directly, not through a store. `{schema}` in it stands for the schema. */
  readonly sql: (
    text: string,
    values?: readonly unknown[],
  ) => Promise<readonly Record<string, unknown>[]>;
  /** Removes the schema and closes its connections. */
  readonly end: () => Promise<void>;
}

export function placeOn(server: PostgresServer, url = server.url): Place {
  const schema = `t_${randomBytes(6).toString("hex")}`;
  const pool = new Pool({ connectionString: server.url, max: 2 });
  pool.on("error", () => {});
  return {
    schema,
    url,
    open: (options = {}) => openPostgresStore(url, { schema, connections: 4, ...options }),
    sql: async (text, values = []) =>
      (await pool.query(text.replaceAll("{schema}", `"${schema}"`), [...values])).rows as Record<
        string,
        unknown
      >[],
    async end() {
      await pool.query(`drop schema if exists "${schema}" cascade`);
      await pool.end();
    },
  };
}

/** Counts placeholder rows that were only inserted to be locked. Must be 0, whatever was refused or repeated. */
export async function leftovers({ sql }: Place): Promise<number> {
  const [row] = await sql(`select
    (select count(*) from {schema}.runs where sequence = 0) + (select count(*) from {schema}.documents where version = 0)
    + (select count(*) from {schema}.tasks where state = 'absent') + (select count(*) from {schema}.receipts where first is null)
    + (select count(*) from {schema}.claims where task is null) as n`);
  return Number(row?.["n"]);
}

/** An SQL function that adds one event to a run, as another program would. */
export const APPEND = `create function {schema}.append(p_run text, p_text text) returns void language plpgsql as $$
declare
  v_head bigint;
  v_link bytea;
begin
  insert into {schema}.runs (run) values (p_run) on conflict do nothing;
  select sequence + 1, link into v_head, v_link from {schema}.runs where run = p_run for update;
  v_link := sha256(v_link || int8send(v_head) || sha256(convert_to(p_text, 'UTF8')));
  insert into {schema}.segments (run, last, length, text, links) values (p_run, v_head, 1, p_text, v_link);
  update {schema}.runs set sequence = v_head, link = v_link, changed = pg_current_xact_id() where run = p_run;
end $$`;

export const draft = (fields: Partial<EventDraft> = {}): EventDraft => ({
  timestamp: "2026-01-02T03:04:05.000Z",
  session_id: "6f0f6a2e-5a0f-4b43-9d0e-0b8c8f3f0a01",
  event_type: "note",
  agent_id: "a1",
  task_id: null,
  details: { n: 1 },
  ...fields,
});

export const upTo = (last: number): readonly number[] =>
  Array.from({ length: last }, (_, index) => index + 1);

export const logOf = (store: Store, run: string): Promise<readonly LogEvent[]> =>
  store.events(run, 0, 1_000_000);

/** The first event that breaks the sequence or the chain. `undefined` for an intact log. */
export function faultOf(log: readonly LogEvent[]): LogEvent | undefined {
  let link = NO_LINK;
  return log.find((event, index) => {
    link = linkOf(link, index + 1, event);
    return event.sequence !== index + 1 || event.hash !== link;
  });
}
