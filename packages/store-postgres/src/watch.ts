import { Client } from "pg";
import { pause, type Database } from "./database.ts";
import type { LongNames } from "./long-names.ts";

type OnHead = (run: string, head: number) => void;

interface HeadRow {
  /** The key of a run. */
  readonly run: string;
  readonly sequence: number;
}

interface GrownRow {
  readonly run: string | null;
  readonly sequence: number | null;
  readonly until: string;
}

/** All notifying transactions take one lock, so the notifications of this many milliseconds are sent together, after the commits. */
const TOGETHER_MS = 50;
// Not flushed to disk: a notification is only a hint, and commits would wait for it.
const NOTIFY =
  "select set_config('synchronous_commit', 'off', true), pg_notify($1, key) from unnest($2::text[]) key";
const MAX_RUNS = 10_000;
const GOODBYE_MS = 1_000;

/** Tells watchers how far runs have grown: at once for this process, and by notification or polling for others. */
export class Watch {
  readonly #database: Database;
  readonly #names: LongNames;
  readonly #channel: string;
  readonly #watchers = new Set<{ readonly onHead: OnHead }>();
  readonly #reported = new Map<string, number>();
  readonly #grown = new Set<string>();
  readonly #heard = new Set<string>();
  #sending: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #listening: Promise<void> | undefined;
  #again = false;
  #poll: NodeJS.Timeout | undefined;
  #ear: Client | undefined;
  #closed = false;
  // The oldest transaction that may not have been seen. Watchers may be told something twice, but never miss it.
  #since = "0";

  constructor(database: Database, names: LongNames) {
    this.#database = database;
    this.#names = names;
    this.#channel = `bylaw_${database.settings.schema}`;
  }

  /** Reports that this process has extended a run: to its own watchers now, and to other processes soon. */
  grew(run: string, key: string, head: number): void {
    if (this.#watchers.size > 0) this.#tell(run, key, head);
    this.#grown.add(key);
    if (!this.#closed) this.#sending ??= setTimeout(() => void this.#notify(), TOGETHER_MS);
  }

  async add(onHead: OnHead): Promise<() => void> {
    const watcher = { onHead };
    if (this.#watchers.size === 0) {
      // Watchers read older events themselves and only need to hear of new ones.
      const [row] = await this.#database.query<{ readonly until: string }>(
        "select pg_snapshot_xmin(pg_current_snapshot())::text as until",
      );
      this.#since = row?.until ?? this.#since;
    }
    this.#watchers.add(watcher);
    this.#poll ??= setInterval(() => this.#lookSoon(), this.#database.settings.poll_ms).unref();
    this.#listening ??= this.#listen().finally(() => (this.#listening = undefined));
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#poll);
      this.#poll = undefined;
      void this.#ear?.end().catch(() => {});
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watchers.clear();
    clearInterval(this.#poll);
    if (this.#sending !== undefined) {
      clearTimeout(this.#sending);
      await this.#notify();
    }
    void this.#ear?.end().catch(() => {});
    // A network that loses the goodbye must not keep the store open.
    await Promise.race([Promise.all([this.#looking, this.#listening]), pause(GOODBYE_MS)]);
  }

  get #wanted(): boolean {
    return !this.#closed && this.#watchers.size > 0;
  }

  #tell(run: string, key: string, head: number): void {
    const reported = this.#reported;
    if ((reported.get(key) ?? 0) >= head) return;
    reported.delete(key);
    reported.set(key, head);
    if (reported.size > MAX_RUNS) reported.delete(reported.keys().next().value ?? "");
    for (const watcher of this.#watchers) {
      queueMicrotask(() => {
        if (!this.#watchers.has(watcher)) return;
        try {
          watcher.onHead(run, head);
        } catch {
          // An error of a watcher must not affect the log.
        }
      });
    }
  }

  async #notify(): Promise<void> {
    this.#sending = undefined;
    const keys = [...this.#grown];
    this.#grown.clear();
    await this.#database.once(NOTIFY, [this.#channel, keys]).catch(() => {});
  }

  /**
   * Reads the heads of the runs that notifications named. A notification itself is not trusted, because anyone who can connect can send
   * one.
   */
  async #check(): Promise<void> {
    const keys = [...this.#heard];
    this.#heard.clear();
    const rows = await this.#database.query<HeadRow>(
      "select run, sequence from {schema}.runs where run = any ($1) and sequence > 0",
      [keys],
    );
    for (const { run, sequence } of rows) this.#tell(await this.#names.nameOf(run), run, sequence);
  }

  /** Reads which runs have changed since the last time. */
  async #look(): Promise<void> {
    this.#again = false;
    const rows = await this.#database.query<GrownRow>(
      `select x.run, x.sequence, s.until from (select pg_snapshot_xmin(pg_current_snapshot())::text as until) s
        left join {schema}.runs x on x.changed >= $1::text::xid8 and x.sequence > 0`,
      [this.#since],
    );
    const until = rows[0]?.until ?? this.#since;
    // Transaction numbers that go backwards come from another server, restored from a copy.
    const isOther = BigInt(until) < BigInt(this.#since);
    if (isOther) this.#again = true;
    this.#since = isOther ? "0" : until;
    for (const { run, sequence } of rows)
      if (run !== null && sequence !== null)
        this.#tell(await this.#names.nameOf(run), run, sequence);
  }

  #lookSoon(): void {
    this.#again = true;
    this.#work();
  }

  #work(): void {
    if (!this.#wanted) return;
    this.#looking ??= (async () => {
      while (this.#again || this.#heard.size > 0) {
        // The next poll makes up for a failed one.
        await (this.#heard.size > 0 ? this.#check() : this.#look()).catch(() => {});
      }
      this.#looking = undefined;
    })();
  }

  async #listen(): Promise<void> {
    const { url, connect_timeout_ms } = this.#database.settings;
    for (let wait = 50; this.#wanted; wait = Math.min(wait * 2, 5_000)) {
      const client = new Client({
        connectionString: url,
        connectionTimeoutMillis: connect_timeout_ms,
        keepAlive: true,
      });
      const lost = new Promise<void>((resolve) =>
        client.once("end", resolve).on("error", () => resolve()),
      );
      client.on("notification", ({ payload }) => {
        if (payload === undefined) return;
        this.#heard.add(payload);
        this.#work();
      });
      try {
        await client.connect();
        await client.query(`listen "${this.#channel}"`);
        if (!this.#wanted) return await client.end();
        this.#ear = client;
        wait = 50;
        // Notifications sent before `listen` are lost, so look for what has changed.
        this.#lookSoon();
        await lost;
      } catch {
        // Without notifications, polling still finds everything.
      }
      this.#ear = undefined;
      void client.end().catch(() => {});
      if (this.#wanted) await pause(wait);
    }
  }
}
