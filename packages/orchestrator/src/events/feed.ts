import type { LogEvent } from "@bylaw/kernel";
import { eventJson } from "@bylaw/log";
import type { Store } from "@bylaw/store";

/** A listener to the log. Without listeners, nothing is read. */
export interface Listener {
  /**
   * Resolves to some of the events after a sequence, in order and without a gap. Resolves to none if nothing comes in that time, the signal
   * is aborted, or the feed is closed. Throws what the store throws.
   */
  after(
    sequence: number,
    wait: { readonly ms: number; readonly signal?: AbortSignal },
  ): Promise<readonly Frame[]>;
  close(): void;
}

interface FeedOptions {
  readonly store: Pick<Store, "events" | "watch">;
  readonly run: string;
  /** Returns the end of the log when this node last read it. */
  readonly known: () => number;
  readonly onError: (error: unknown) => void;
}

/** How often the log is polled, in milliseconds, because a notification of the store is only a hint. */
const POLL_MS = 1_000;
/** How many events are read at once for all listeners, and how many characters at once for a listener that is behind. */
const PAGE = 200;
const READ = 1_000_000;
const BEHIND = 256_000;
/** How many characters of the last events are kept for listeners that are up to date. */
const KEPT = 4_000_000;

/** The log of a run as it grows, for any number of listeners, each at its own position. */
export class Feed {
  readonly #options: FeedOptions;
  readonly #waiting = new Set<() => void>();
  readonly #paging = new Paging({ chars: READ, most: PAGE });
  #listeners = 0;
  #closed = false;
  #frames: Frame[] = [];
  #size = 0;
  /** The sequence of the last event that was read for all. */
  #head = 0;
  #reading = false;
  /** Whether to begin at the end of the log, since there was no listener. */
  #resumes = true;
  #again = false;
  #poll: NodeJS.Timeout | undefined;
  #unwatch: Promise<() => void> | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Resolves to the current end of the log. */
  async head(): Promise<number> {
    const { store, run, known } = this.#options;
    const has = async (sequence: number): Promise<boolean> =>
      (await store.events(run, sequence - 1, 1)).length > 0;
    // Sequences have no gaps, so a few reads find the end of a log of any length.
    let last = Math.max(this.#head, known());
    let step = 1;
    for (; await has(last + step); step *= 2) last += step;
    for (; step > 1;) {
      step /= 2;
      if (await has(last + step)) last += step;
    }
    return last;
  }

  listen(): Listener {
    let open = true;
    const paging = new Paging({ chars: BEHIND, most: PAGE });
    this.#listeners += 1;
    if (this.#listeners === 1) this.#start();
    return {
      after: async (sequence, { ms, signal }) =>
        open ? this.#after(sequence, ms, signal, paging) : [],
      close: () => {
        if (!open) return;
        open = false;
        this.#listeners -= 1;
        if (this.#listeners === 0) this.#stop();
      },
    };
  }

  /** Wakes all listeners. They get nothing more. */
  close(): void {
    this.#closed = true;
    this.#stop();
    this.#wake();
  }

  #wake(): void {
    for (const waiter of [...this.#waiting]) waiter();
  }

  #keep(events: readonly LogEvent[]): void {
    const added = events.map(frameOf);
    this.#paging.saw(added);
    this.#frames.push(...added);
    for (const { data } of added) this.#size += data.length;
    let dropped = 0;
    while (this.#size > KEPT && dropped < this.#frames.length)
      this.#size -= this.#frames[dropped++]?.data.length ?? 0;
    if (dropped > 0) this.#frames = this.#frames.slice(dropped);
    this.#head = events.at(-1)?.sequence ?? this.#head;
    if (events.length > 0) this.#wake();
  }

  async #read(): Promise<void> {
    const { store, run } = this.#options;
    for (;;) {
      this.#again = false;
      const { limit } = this.#paging;
      const isIdle = this.#closed || this.#listeners === 0;
      if (!isIdle && this.#resumes) await this.#resume();
      const page = isIdle ? [] : await store.events(run, this.#head, limit);
      this.#keep(page);
      if (page.length < limit && !this.#again) return;
    }
  }

  /** Begins at the end of the log, because events from before may be many, and each listener reads those that it lacks. */
  async #resume(): Promise<void> {
    const head = await this.head();
    this.#resumes = false;
    if (head === this.#head) return;
    [this.#frames, this.#size, this.#head] = [[], 0, head];
    this.#wake();
  }

  #look(): void {
    this.#again = true;
    if (this.#reading) return;
    this.#reading = true;
    void this.#read()
      .catch(this.#options.onError)
      .finally(() => (this.#reading = false));
  }

  #start(): void {
    const { store, run, onError } = this.#options;
    this.#resumes = true;
    this.#poll = setInterval(() => this.#look(), POLL_MS);
    this.#poll.unref();
    this.#unwatch = store.watch((grown) => {
      if (grown === run) this.#look();
    });
    this.#unwatch.catch(onError);
    this.#look();
  }

  #stop(): void {
    clearInterval(this.#poll);
    void this.#unwatch?.then((end) => end()).catch(() => {});
    this.#unwatch = undefined;
  }

  async #after(
    sequence: number,
    ms: number,
    signal: AbortSignal | undefined,
    paging: Paging,
  ): Promise<readonly Frame[]> {
    const end = performance.now() + ms;
    for (;;) {
      if (this.#closed || signal?.aborted === true) return [];
      if (sequence < this.#head)
        return this.#kept(sequence) ?? (await this.#behind(sequence, paging));
      const left = end - performance.now();
      if (left <= 0) return [];
      await this.#grown(left, signal);
    }
  }

  /** The kept events after a sequence. `undefined` if some of them are no longer kept. */
  #kept(sequence: number): readonly Frame[] | undefined {
    const at = sequence + 1 - (this.#frames[0]?.sequence ?? this.#head + 1);
    return at < 0 ? undefined : this.#frames.slice(at, at + PAGE);
  }

  async #behind(sequence: number, paging: Paging): Promise<readonly Frame[]> {
    const { store, run } = this.#options;
    const read = (await store.events(run, sequence, paging.limit)).map(frameOf);
    paging.saw(read);
    return read;
  }

  #grown(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#waiting.add(done);
      signal?.addEventListener("abort", done);
    });
  }
}

/** The page size before the size of events is known. */
const FIRST = 16;

/** Decides how many events to read at once from the size of the last ones, because events may have a megabyte each. */
export class Paging {
  readonly #chars: number;
  readonly #most: number;
  limit: number;

  /** `chars`: the characters that a page should have. `most`: the most events. */
  constructor({ chars, most }: { readonly chars: number; readonly most: number }) {
    this.#chars = chars;
    this.#most = most;
    this.limit = Math.min(FIRST, most);
  }

  saw(frames: readonly Frame[]): void {
    if (frames.length === 0) return;
    const mean = frames.reduce((sum, { data }) => sum + data.length, 0) / frames.length;
    // Grows slowly, because the next events may be larger than the last ones.
    this.limit = Math.max(1, Math.min(this.#most, this.limit * 4, Math.floor(this.#chars / mean)));
  }
}

/** An event, ready to be sent. */
export interface Frame {
  readonly sequence: number;
  readonly type: string;
  readonly task: string | null;
  readonly agent: string | null;
  /** The fence of a claim, which grows with each claim of the task. */
  readonly fence: number | null;
  /** The name of its server-sent event. Empty if the type does not fit on one line. */
  readonly event: string;
  /** The whole event, as JSON. */
  readonly data: string;
}

/** A type that fits on one line. An imported log can have any. */
const NAME = /^[\w.@/:-]{1,200}$/;

/** The frame of an event. */
function frameOf(event: LogEvent): Frame {
  const { sequence, event_type: type, task_id: task, agent_id: agent, details } = event;
  const fence = typeof details["fence"] === "number" ? details["fence"] : null;
  const name = NAME.test(type) ? type : "";
  return { sequence, type, task, agent, fence, event: name, data: eventJson(event) };
}
