import { Client } from "pg";
import { pause, type Database } from "./database.ts";
import type { LongNames } from "./long-names.ts";

type OnHead = (run: string, head: number) => void;

interface HeadRow {
  /** A key. */
  readonly run: string;
  readonly sequence: number;
}

/** Tells watchers how far runs have grown: what this process writes at once, what others write when it hears or looks. */
export interface Watch {
  /** A run has grown by this process: tells its own watchers now, and others soon. */
  grew(run: string, key: string, head: number): void;
  add(onHead: OnHead): Promise<() => void>;
  close(): Promise<void>;
}

/** Notifications take a lock that all who notify share, so those of a moment go together, after the commits. */
const TOGETHER_MS = 50;
// It is a hint: a notification that waited for the disk would only keep the commits waiting.
const NOTIFY =
  "select set_config('synchronous_commit', 'off', true), pg_notify($1, key) from unnest($2::text[]) key";
const TOLD = 10_000;
const GOODBYE_MS = 1_000;

export function createWatch(database: Database, names: LongNames): Watch {
  const { schema, url, poll_ms, connect_timeout_ms } = database.settings;
  const channel = `bylaw_${schema}`;
  const watchers = new Set<{ readonly onHead: OnHead }>();
  const told = new Map<string, number>();
  const grown = new Set<string>();
  const heard = new Set<string>();
  let sending: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let again = false;
  let poll: NodeJS.Timeout | undefined;
  let ear: Client | undefined;
  let closed = false;
  // Transactions from here on may not have been seen: rather told twice than never.
  let since = "0";

  const wanted = (): boolean => !closed && watchers.size > 0;

  function tell(run: string, key: string, head: number): void {
    if ((told.get(key) ?? 0) >= head) return;
    told.delete(key);
    told.set(key, head);
    if (told.size > TOLD) told.delete(told.keys().next().value ?? "");
    for (const watcher of watchers) {
      queueMicrotask(() => {
        if (!watchers.has(watcher)) return;
        try {
          watcher.onHead(run, head);
        } catch {
          // A hint is for who asked for it: a watcher's own fault is no fault of the log.
        }
      });
    }
  }

  async function notify(): Promise<void> {
    sending = undefined;
    const keys = [...grown];
    grown.clear();
    await database.once(NOTIFY, [channel, keys]).catch(() => {});
  }

  /** Looks how far runs are that were heard of: whoever may connect may also notify, so what is told is what is there. */
  async function check(): Promise<void> {
    const keys = [...heard];
    heard.clear();
    const rows = await database.query<HeadRow>(
      "select run, sequence from {schema}.runs where run = any ($1) and sequence > 0",
      [keys],
    );
    for (const { run, sequence } of rows) tell(await names.nameOf(run), run, sequence);
  }

  /** Looks what has changed since the last look. */
  async function look(): Promise<void> {
    again = false;
    const rows = await database.query<{
      readonly run: string | null;
      readonly sequence: number | null;
      readonly until: string;
    }>(
      `select x.run, x.sequence, s.until from (select pg_snapshot_xmin(pg_current_snapshot())::text as until) s
        left join {schema}.runs x on x.changed >= $1::text::xid8 and x.sequence > 0`,
      [since],
    );
    const until = rows[0]?.until ?? since;
    // Numbers of transactions that go back are those of another server, restored from a copy.
    if (BigInt(until) < BigInt(since)) again = true;
    since = BigInt(until) < BigInt(since) ? "0" : until;
    for (const { run, sequence } of rows)
      if (run !== null && sequence !== null) tell(await names.nameOf(run), run, sequence);
  }

  function lookSoon(): void {
    again = true;
    work();
  }

  function work(): void {
    if (!wanted()) return;
    looking ??= (async () => {
      while (again || heard.size > 0) {
        // A look that fails is made up for by the next poll.
        await (heard.size > 0 ? check() : look()).catch(() => {});
      }
      looking = undefined;
    })();
  }

  function hear(payload: string | undefined): void {
    if (payload === undefined) return;
    heard.add(payload);
    work();
  }

  async function listen(): Promise<void> {
    for (let wait = 50; wanted(); wait = Math.min(wait * 2, 5_000)) {
      const client = new Client({
        connectionString: url,
        connectionTimeoutMillis: connect_timeout_ms,
        keepAlive: true,
      });
      const lost = new Promise<void>((resolve) =>
        client.once("end", resolve).on("error", () => resolve()),
      );
      client.on("notification", ({ payload }) => hear(payload));
      try {
        await client.connect();
        await client.query(`listen "${channel}"`);
        if (!wanted()) return await client.end();
        ear = client;
        wait = 50;
        // What was notified while nobody listened is lost, but not what it was about.
        lookSoon();
        await lost;
      } catch {
        // It is a hint: without it the look at every poll is what there is.
      }
      ear = undefined;
      void client.end().catch(() => {});
      if (wanted()) await pause(wait);
    }
  }
  let listening: Promise<void> | undefined;

  return {
    grew(run, key, head) {
      if (watchers.size > 0) tell(run, key, head);
      grown.add(key);
      if (!closed) sending ??= setTimeout(() => void notify(), TOGETHER_MS);
    },
    async add(onHead) {
      const watcher = { onHead };
      if (watchers.size === 0) {
        // From now on: what was there before is read, not told.
        const [row] = await database.query<{ readonly until: string }>(
          "select pg_snapshot_xmin(pg_current_snapshot())::text as until",
        );
        since = row?.until ?? since;
      }
      watchers.add(watcher);
      poll ??= setInterval(lookSoon, poll_ms).unref();
      listening ??= listen().finally(() => (listening = undefined));
      return () => {
        watchers.delete(watcher);
        if (watchers.size > 0) return;
        clearInterval(poll);
        poll = undefined;
        void ear?.end().catch(() => {});
      };
    },
    async close() {
      closed = true;
      watchers.clear();
      clearInterval(poll);
      if (sending !== undefined) {
        clearTimeout(sending);
        await notify();
      }
      void ear?.end().catch(() => {});
      // A network that swallows the goodbye must not keep the store open.
      await Promise.race([Promise.all([looking, listening]), pause(GOODBYE_MS)]);
    },
  };
}
