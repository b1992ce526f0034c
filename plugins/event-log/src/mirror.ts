import type { LogEvent } from "@bylaw/kernel";
import type { LogReader, SinkWriter } from "@bylaw/log";
import { openHeads, type Heads, type HeadsOptions } from "./heads.ts";
import { FileLock } from "./lock.ts";
import { LogEnd, type Warn } from "./log-end.ts";
import type { Sync } from "./log-file.ts";
import { isSame, type Mark } from "./mark.ts";
import { diverged } from "./problems.ts";
import type { Rotation } from "./rotation.ts";

export interface MirrorOptions {
  /** Absolute path. */
  readonly path: string;
  /** `batched`: written at once, durable within `flush_ms` milliseconds. */
  readonly durability: "strict" | "batched";
  readonly flush_ms: number;
  readonly rotate: Rotation;
  /** Left out: heads are not signed. */
  readonly sign?: HeadsOptions | undefined;
  readonly warn: Warn;
  /** Default: the system's. */
  readonly sync?: Sync | undefined;
  /** Milliseconds to wait for other processes. */
  readonly wait_ms?: number | undefined;
}

/** How many events are read from the store at once. */
const PAGE = 500;

/**
 * Mirrors a log into a file: first what the file lacks, then every new event, in order and once, however many processes do the
 * same. The store is the truth, and the file's last event shows how far the file has come. Throws if the file contradicts the
 * store, cannot be written, or is not a regular file.
 */
export async function openMirror(log: LogReader, options: MirrorOptions): Promise<SinkWriter> {
  const { path, sign } = options;
  const heads = sign === undefined ? undefined : await openHeads(log.run, `${path}.heads`, sign);
  const mirror = new Mirror(log, heads, options);
  try {
    await mirror.catchUp([], Infinity);
  } catch (error) {
    await mirror.close().catch(() => {});
    throw error;
  }
  return {
    async write(events) {
      const last = events.at(-1);
      if (last !== undefined) await mirror.catchUp(events, last.sequence);
    },
    close: () => mirror.close(),
  };
}

/** The events that the file lacks. */
interface Need {
  /** Events after this one. */
  readonly after: number;
  /** The file's last event, to be compared with the store. */
  readonly doubt?: Mark;
}

class Mirror {
  readonly #log: LogReader;
  readonly #heads: Heads | undefined;
  readonly #path: string;
  readonly #durable: boolean;
  readonly #flush_ms: number;
  readonly #lock: FileLock;
  readonly #end: LogEnd;
  /** The event that was found in the store or written by this process. */
  #trusted: Mark | undefined;
  /** The error of a background operation, thrown by the next call. */
  #late: unknown;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(log: LogReader, heads: Heads | undefined, options: MirrorOptions) {
    const { path, durability, flush_ms, rotate, warn, sync, wait_ms } = options;
    this.#log = log;
    this.#heads = heads;
    this.#path = path;
    this.#durable = durability === "strict";
    this.#flush_ms = flush_ms;
    this.#lock = new FileLock(`${path}.lock`, wait_ms);
    this.#end = new LogEnd({ path, rotation: rotate, warn, sync });
  }

  /** `until`: the sequence that the file must reach; Infinity: the last event that is in the store now. */
  async catchUp(given: readonly LogEvent[], until: number): Promise<void> {
    this.#throwLate();
    const known = new Map(given.map((event) => [event.sequence, event]));
    let goal = until;
    let doubt: Mark | undefined;
    for (;;) {
      const need = await this.#alone(() => this.#step(known, goal, doubt));
      if (need === undefined) break;
      ({ doubt } = need);
      // Read without the lock, so that a slow store delays nobody.
      const page = await this.#log.events(need.after, PAGE);
      for (const event of page) known.set(event.sequence, event);
      // Opening a log does not chase events that others keep adding.
      if (goal === Infinity && page.length < PAGE) goal = page.at(-1)?.sequence ?? need.after;
      else if (page.length === 0 && doubt === undefined && need.after < goal)
        throw diverged(
          this.#path,
          `Event ${need.after + 1} is missing from the log file and from the store`,
        );
    }
    this.#schedule(this.#durable ? this.#heads?.delay(this.#trusted) : this.#flush_ms);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    try {
      await this.#turn;
      this.#throwLate();
      if (this.#trusted !== undefined) await this.#flush({ last: true });
    } finally {
      this.#end.close();
      this.#lock.close();
    }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(() => this.#lock.hold(work));
    this.#turn = next.catch(() => {});
    return next;
  }

  /** One attempt at the file under the lock. Returns no need when the file is complete. */
  async #step(
    known: Map<number, LogEvent>,
    until: number,
    doubt: Mark | undefined,
  ): Promise<Need | undefined> {
    const mark = this.#end.find();
    // Compared with the store once, and again after another process has written.
    if (mark !== undefined && mark !== this.#trusted) {
      const stored = known.get(mark.sequence);
      if (stored === undefined && mark !== doubt) return { after: mark.sequence - 1, doubt: mark };
      this.#checkSame(mark, stored);
      this.#trusted = mark;
    }
    const head = mark?.sequence ?? 0;
    const fresh: LogEvent[] = [];
    for (
      let event = known.get(head + 1);
      event !== undefined;
      event = known.get(event.sequence + 1)
    )
      fresh.push(event);
    if (fresh.length > 0) this.#trusted = await this.#end.append(fresh);
    const reached = fresh.at(-1)?.sequence ?? head;
    for (const sequence of known.keys()) if (sequence <= reached) known.delete(sequence);
    if (reached < until) return { after: reached };
    if (this.#durable) {
      await this.#end.sync();
      await this.#sign();
    }
    return undefined;
  }

  #checkSame(mark: Mark, stored: LogEvent | undefined): void {
    if (stored !== undefined && isSame(mark, stored)) return;
    throw diverged(
      this.#path,
      stored === undefined
        ? `The log file ends with event ${mark.sequence}, which is not in the store`
        : `Event ${mark.sequence} of the log file is not the one in the store`,
    );
  }

  async #sign({ last = false } = {}): Promise<void> {
    if (this.#heads?.due(this.#trusted, last) === true) await this.#heads.sign(this.#trusted);
  }

  /** Schedules a flush or a signature that is not due yet. */
  #schedule(delay: number | undefined): void {
    if (delay === undefined || this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#flush({ last: false }).then(
        () => {
          this.#timer = undefined;
          this.#schedule(this.#heads?.delay(this.#trusted));
        },
        (error: unknown) => {
          this.#timer = undefined;
          this.#late = error;
        },
      );
    }, delay);
    this.#timer.unref();
  }

  #flush(options: { readonly last: boolean }): Promise<void> {
    return this.#alone(async () => {
      this.#end.find();
      await this.#end.sync();
      await this.#sign(options);
    });
  }

  #throwLate(): void {
    const error = this.#late;
    this.#late = undefined;
    if (error !== undefined) throw error;
  }
}
