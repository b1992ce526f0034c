import type { LogEvent } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { frameOf, type Frame } from "./frame.ts";
import { createPaging, type Paging } from "./paging.ts";

/** The log of a run as it grows, for any number of listeners, each at a place of its own. */
export interface Feed {
  /** Where the log ends now. */
  head(): Promise<number>;
  listen(): Listener;
  /** How many listen. */
  readonly listeners: number;
  /** Wakes all who listen; they are given nothing more. */
  close(): void;
}

/** Somebody who listens. While nobody does, nothing is read. */
export interface Listener {
  /**
   * What comes after a sequence, in order and without a gap, some of it; nothing where nothing comes in that time, where the signal is
   * aborted, or when the feed is closed. Throws what the store throws.
   */
  after(
    sequence: number,
    wait: { readonly ms: number; readonly signal?: AbortSignal },
  ): Promise<readonly Frame[]>;
  close(): void;
}

interface FeedTerms {
  readonly store: Pick<Store, "events" | "watch">;
  readonly run: string;
  /** Where the log ended when this node last looked. */
  readonly known: () => number;
  /** How often the log is looked at where nothing says that it has grown, in milliseconds: what says so is only a hint. */
  readonly poll_ms?: number;
  readonly onError?: (error: unknown) => void;
}

/** How many events are read at once for all, and how much one listener that is behind reads at once, in characters. */
const PAGE = 200;
const READ = 1_000_000;
const BEHIND = 256_000;
/** So many characters of the last events are kept for those who are up to date. */
const KEPT = 4_000_000;

export function createFeed({
  store,
  run,
  known,
  poll_ms = 1_000,
  onError = () => {},
}: FeedTerms): Feed {
  const waiting = new Set<() => void>();
  let listeners = 0;
  let closed = false;
  let frames: Frame[] = [];
  let size = 0;
  /** Sequence of the last event that was read for all. */
  let head = 0;
  let reading: Promise<void> | undefined;
  let again = false;
  let poll: NodeJS.Timeout | undefined;
  const paging = createPaging({ chars: READ, most: PAGE });
  let unwatch: Promise<() => void> | undefined;

  function wake(): void {
    for (const waiter of [...waiting]) waiter();
  }

  function keep(events: readonly LogEvent[]): void {
    const added = events.map(frameOf);
    paging.saw(added);
    for (const frame of added) {
      frames.push(frame);
      size += frame.data.length;
    }
    let dropped = 0;
    while (size > KEPT && dropped < frames.length) size -= frames[dropped++]?.data.length ?? 0;
    if (dropped > 0) frames = frames.slice(dropped);
    head = events.at(-1)?.sequence ?? head;
    if (events.length > 0) wake();
  }

  async function read(): Promise<void> {
    for (;;) {
      again = false;
      const { limit } = paging;
      const page = closed || listeners === 0 ? [] : await store.events(run, head, limit);
      keep(page);
      if (page.length < limit && !again) return;
    }
  }

  function look(): void {
    again = true;
    reading ??= read()
      .catch(onError)
      .finally(() => (reading = undefined));
  }

  function start(): void {
    // What was read before somebody stopped listening may be far behind.
    if (known() > head) [frames, size, head] = [[], 0, known()];
    poll = setInterval(look, poll_ms);
    poll.unref();
    unwatch = store.watch((grown) => {
      if (grown === run) look();
    });
    unwatch.catch(onError);
    look();
  }

  function stop(): void {
    clearInterval(poll);
    void unwatch?.then((end) => end()).catch(() => {});
    unwatch = undefined;
  }

  /** What is kept behind a sequence; `undefined` where a part of it is not. */
  function kept(sequence: number): readonly Frame[] | undefined {
    const first = frames[0]?.sequence ?? head + 1;
    return sequence + 1 < first
      ? undefined
      : frames.slice(sequence + 1 - first, sequence + 1 - first + PAGE);
  }

  function grown(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        waiting.delete(done);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      waiting.add(done);
      signal?.addEventListener("abort", done);
    });
  }

  async function behind(sequence: number, own: Paging): Promise<readonly Frame[]> {
    const read = (await store.events(run, sequence, own.limit)).map(frameOf);
    own.saw(read);
    return read;
  }

  async function after(
    sequence: number,
    ms: number,
    signal: AbortSignal | undefined,
    own: Paging,
  ): Promise<readonly Frame[]> {
    const end = performance.now() + ms;
    for (;;) {
      if (closed || signal?.aborted === true) return [];
      if (sequence < head) return kept(sequence) ?? (await behind(sequence, own));
      const left = end - performance.now();
      if (left <= 0) return [];
      await grown(left, signal);
    }
  }

  return {
    async head() {
      let last = Math.max(head, known());
      for (;;) {
        const page = await store.events(run, last, PAGE);
        last = page.at(-1)?.sequence ?? last;
        if (page.length < PAGE) return last;
      }
    },
    get listeners() {
      return listeners;
    },
    listen() {
      let open = true;
      const own = createPaging({ chars: BEHIND, most: PAGE });
      listeners += 1;
      if (listeners === 1) start();
      return {
        after: (sequence, { ms, signal }) =>
          open ? after(sequence, ms, signal, own) : Promise.resolve([]),
        close() {
          if (!open) return;
          open = false;
          listeners -= 1;
          if (listeners === 0) stop();
        },
      };
    },
    close() {
      closed = true;
      stop();
      wake();
    },
  };
}
