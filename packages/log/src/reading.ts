import type { LogEvent, Store } from "@bylaw/kernel";
import type { Fold } from "./fold.ts";

const PAGE = 1_000;
/** How many events are kept to hold decisions against that were made before them. */
const RECENT = 1_000;
/** How many states are kept that a log may soon be in. */
const AHEAD = 256;

/** Whom an event is about. */
export type Trace = Pick<LogEvent, "agent_id" | "task_id">;

/** How far a log has been read. */
export interface Reading {
  /** The state after the events read so far. */
  readonly fold: Fold;
  /** Takes events that follow; those that were taken already are left out. */
  take(events: readonly LogEvent[]): void;
  /** Reads on, up to a sequence or to the end. */
  catchUp(until?: number): Promise<void>;
  /** The state after events that follow and may never be durable. */
  ahead(unseen: readonly LogEvent[]): Fold;
  /** Whom the events were about that were read since an earlier state; `undefined` where that is too long ago. */
  since(before: Fold): readonly Trace[] | undefined;
}

/** The state after an event that a store was about to write. */
interface Tried {
  /** Of that event. */
  readonly link: string;
  readonly fold: Fold;
}

/** Reads a log from a state on. `onEvents` is told of what is new, in the order of the log and each event once. */
export function createReading(
  store: Store,
  run: string,
  start: Fold,
  onEvents: (events: readonly LogEvent[], fold: Fold) => void,
): Reading {
  let fold = start;
  // Without their details: results of tools can be large.
  const recent: Trace[] = [];
  let reading: Promise<number> | undefined;
  // In the order of the log. Few at a time, and looked for at the ends: see Passing for what a Map would cost.
  const tried: Tried[] = [];

  /** The state after events that was reached before; a link says that it is the very same log. */
  function reached(events: readonly LogEvent[], at = events.length - 1): Fold | undefined {
    const { sequence, hash } = events[at] ?? {};
    return hash === undefined ? undefined : tried.findLast(({ link, fold: { head } }) => head === sequence && link === hash)?.fold;
  }

  function take(events: readonly LogEvent[]): void {
    const fresh = events.filter(({ sequence }) => sequence > fold.head);
    if (fresh.length === 0) return;
    fold = reached(fresh) ?? fold.add(fresh);
    while ((tried[0]?.fold.head ?? Infinity) <= fold.head) tried.shift();
    for (const { agent_id, task_id } of fresh) recent.push({ agent_id, task_id });
    if (recent.length > 2 * RECENT) recent.splice(0, recent.length - RECENT);
    onEvents(fresh, fold);
  }

  async function read(until: number): Promise<number> {
    const page = await store.events(run, fold.head, Math.min(PAGE, until - fold.head));
    take(page);
    return page.length;
  }

  return {
    get fold() {
      return fold;
    },
    take,
    async catchUp(until = Infinity) {
      // What is being read was perhaps asked for too early; what is begun from now on serves all who wait for it.
      await reading?.catch(() => {});
      while (fold.head < until) {
        reading ??= read(until).finally(() => (reading = undefined));
        if ((await reading) === 0) return;
      }
    },
    // In a batch each commit sees what those before it are about to write: all but the last of them was folded for these.
    ahead(unseen) {
      let from = unseen.length;
      let next: Fold | undefined;
      while (next === undefined && from > 0 && (unseen[from - 1]?.sequence ?? 0) > fold.head) {
        next = reached(unseen, from - 1);
        if (next === undefined) from -= 1;
      }
      next = (next ?? fold).add(unseen.slice(from));
      const last = unseen.at(-1);
      if (last?.hash === undefined || last.sequence !== next.head || reached(unseen) !== undefined) return next;
      if (tried.length >= AHEAD) tried.length = 0;
      tried.push({ link: last.hash, fold: next });
      return next;
    },
    since(before) {
      const missed = fold.head - before.head;
      return missed > recent.length ? undefined : recent.slice(recent.length - missed);
    },
  };
}
