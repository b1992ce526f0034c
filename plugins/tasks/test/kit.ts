import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { Pool } from "pg";
import { createMemoryStore, openRun, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { openPostgresStore } from "@bylaw/store-postgres";
import { openSqliteStore } from "@bylaw/store-sqlite";
import type { PostgresServer } from "@bylaw/testing";
import { temporaryFolder } from "@bylaw/testing";
import { createTasks, type HeldTask, type TaskRules, type Tasks } from "../src/index.ts";
import { kernelWith, rules } from "./setting.ts";

const START = Date.parse("2026-01-02T10:00:00.000Z");

/** One set of data, with a clock that the test sets for the store too. */
export interface Place {
  readonly now: () => string;
  readonly advance: (ms: number) => Promise<void>;
  /** Another connection to the same data, like another process's; in memory there is only one. */
  readonly store: () => Promise<Store>;
  readonly end: () => Promise<void>;
}

export interface Engine {
  readonly name: string;
  readonly place: () => Promise<Place>;
}

function clock(): { readonly now: () => number; readonly add: (ms: number) => void } {
  let at = START;
  return { now: () => at, add: (ms) => void (at += ms) };
}

const iso = (now: () => number) => () => new Date(now()).toISOString();

const memory: Engine = {
  name: "in memory",
  async place() {
    const { now, add } = clock();
    const store = createMemoryStore({ now });
    return {
      now: iso(now),
      advance: async (ms) => add(ms),
      store: async () => store,
      end: () => store.close(),
    };
  },
};

const sqlite: Engine = {
  name: "in SQLite",
  async place() {
    const { now, add } = clock();
    const folder = temporaryFolder();
    const opened: Store[] = [];
    return {
      now: iso(now),
      advance: async (ms) => add(ms),
      async store() {
        const store = await openSqliteStore(join(folder, "store.db"), { now });
        opened.push(store);
        return store;
      },
      async end() {
        for (const store of opened) await store.close();
      },
    };
  },
};

const postgres = (server: PostgresServer): Engine => ({
  name: "in PostgreSQL",
  async place() {
    const { now, add } = clock();
    const schema = `tasks_${randomBytes(6).toString("hex")}`;
    const pool = new Pool({ connectionString: server.url, max: 1 });
    pool.on("error", () => {});
    const opened: Store[] = [];
    const open = async (): Promise<Store> => {
      const store = await openPostgresStore(server.url, { schema, connections: 3 });
      opened.push(store);
      return store;
    };
    await open();
    // The database reads the clock of the test instead of its own.
    await pool.query(`create table "${schema}".clock (at bigint not null)`);
    await pool.query(`insert into "${schema}".clock values (${START})`);
    await pool.query(
      `create or replace function "${schema}".now_ms() returns bigint language sql volatile return (select at from "${schema}".clock)`,
    );
    return {
      now: iso(now),
      async advance(ms) {
        add(ms);
        await pool.query(`update "${schema}".clock set at = $1`, [now()]);
      },
      store: open,
      async end() {
        for (const store of opened) await store.close();
        await pool.query(`drop schema if exists "${schema}" cascade`);
        await pool.end();
      },
    };
  },
});

/** Memory, SQLite, and PostgreSQL if there is a server. */
export const enginesOn = (server: PostgresServer | undefined): readonly Engine[] => [
  memory,
  sqlite,
  ...(server === undefined ? [] : [postgres(server)]),
];

/** One process that works on a run. */
export interface Worker {
  readonly run: Run;
  readonly tasks: Tasks;
}

export async function worker(
  place: Place,
  given: TaskRules = rules(),
  kernel = kernelWith(),
  run = "r1",
): Promise<Worker> {
  const opened = await openRun(kernel, {
    run,
    store: await place.store(),
    now: place.now,
    join: true,
  });
  return { run: opened, tasks: createTasks(opened, given, { now: place.now }) };
}

/** The claim of a task that must be free. */
export async function took(
  { tasks: of }: Worker,
  agent: string,
  fields: object = {},
): Promise<HeldTask> {
  const held = await of.claim({ agent, ...fields });
  if (held === undefined)
    throw new Error(`Unexpected refusal of a claim of ${agent}, expected a free task`);
  return held;
}

export const typesOf = async (place: Place, run = "r1"): Promise<readonly string[]> =>
  (await (await place.store()).events(run, 0, 100_000)).map(({ event_type }) => event_type);
