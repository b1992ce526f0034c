import { Client } from "pg";
import { pause, type Database } from "./database.ts";
import type { LongNames } from "./long-names.ts";

type OnHead = (run: string, head: number) => void;

interface HeadRow {
  /** A key. */
  readonly run: string;
  readonly sequence: number;
}

interface GrownRow {
  readonly run: string | null;
  readonly sequence: number | null;
  readonly until: string;
}

/** Notifications take a lock that all who notify share, so those of a moment go together, after the commits. */
const TOGETHER_MS = 50;
// It is a hint: a notification that waited for the disk would only keep the commits waiting.
const NOTIFY =
  "select set_config('synchronous_commit', 'off', true), pg_notify($1, key) from unnest($2::text[]) key";
const TOLD = 10_000;
const GOODBYE_MS = 1_000;

/** Tells watchers how far runs have grown: what this process writes at once, what others write when it hears or looks. */
export class Watch {
  readonly #database: Database;
  readonly #names: LongNames;
  readonly #channel: string;
  readonly #watchers = new Set<{ readonly onHead: OnHead }>();
  readonly #told = new Map<string, number>();
  readonly #grown = new Set<string>();
  readonly #heard = new Set<string>();
  #sending: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #listening: Promise<void> | undefined;
  #again = false;
  #poll: NodeJS.Timeout | undefined;
  #ear: Client | undefined;
  #closed = false;
  // Transactions from here on may not have been seen: rather told twice than never.
  #since = "0";

  constructor(database: Database, names: LongNames) {
    this.#database = database;
    this.#names = names;
    this.#channel = `bylaw_${database.settings.schema}`;
  }

  /** A run has grown by this process: tells its own watchers now, and others soon. */
  grew(run: string, key: string, head: number): void {
    if (this.#watchers.size > 0) this.#tell(run, key, head);
    this.#grown.add(key);
    if (!this.#closed) this.#sending ??= setTimeout(() => void this.#notify(), TOGETHER_MS);
  }

  async add(onHead: OnHead): Promise<() => void> {
    const watcher = { onHead };
    if (this.#watchers.size === 0) {
      // From now on: what was there before is read, not told.
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
    // A network that swallows the goodbye must not keep the store open.
    await Promise.race([Promise.all([this.#looking, this.#listening]), pause(GOODBYE_MS)]);
  }

  get #wanted(): boolean {
    return !this.#closed && this.#watchers.size > 0;
  }

  #tell(run: string, key: string, head: number): void {
    const told = this.#told;
    if ((told.get(key) ?? 0) >= head) return;
    told.delete(key);
    told.set(key, head);
    if (told.size > TOLD) told.delete(told.keys().next().value ?? "");
    for (const watcher of this.#watchers) {
      queueMicrotask(() => {
        if (!this.#watchers.has(watcher)) return;
        try {
          watcher.onHead(run, head);
        } catch {
          // A hint is for who asked for it: a watcher's own fault is no fault of the log.
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

  /** Looks how far runs are that were heard of: whoever may connect may also notify, so what is told is what is there. */
  async #check(): Promise<void> {
    const keys = [...this.#heard];
    this.#heard.clear();
    const rows = await this.#database.query<HeadRow>(
      "select run, sequence from {schema}.runs where run = any ($1) and sequence > 0",
      [keys],
    );
    for (const { run, sequence } of rows) this.#tell(await this.#names.nameOf(run), run, sequence);
  }

  /** Looks what has changed since the last look. */
  async #look(): Promise<void> {
    this.#again = false;
    const rows = await this.#database.query<GrownRow>(
      `select x.run, x.sequence, s.until from (select pg_snapshot_xmin(pg_current_snapshot())::text as until) s
        left join {schema}.runs x on x.changed >= $1::text::xid8 and x.sequence > 0`,
      [this.#since],
    );
    const until = rows[0]?.until ?? this.#since;
    // Numbers of transactions that go back are those of another server, restored from a copy.
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
        // A look that fails is made up for by the next poll.
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
        // What was notified while nobody listened is lost, but not what it was about.
        this.#lookSoon();
        await lost;
      } catch {
        // It is a hint: without it the look at every poll is what there is.
      }
      this.#ear = undefined;
      void client.end().catch(() => {});
      if (this.#wanted) await pause(wait);
    }
  }
}
