import type { LogEvent, Store } from "@bylaw/kernel";
import type { Fold } from "./fold.ts";

const PAGE = 1_000;
/** How many events are kept to hold decisions against that were made before them. */
const RECENT = 1_000;

/** How far a log has been read. */
export interface Reading {
  /** The state after the events read so far. */
  readonly fold: Fold;
  /** Takes events that follow; those that were taken already are left out. */
  take(events: readonly LogEvent[]): void;
  /** Reads on, up to a sequence or to the end. */
  catchUp(until?: number): Promise<void>;
  /** What was read since an earlier state; `undefined` where that is too long ago. */
  since(before: Fold): readonly LogEvent[] | undefined;
}

/** Reads a log from a state on. `onEvents` is told of what is new, in the order of the log and each event once. */
export function createReading(
  store: Store,
  run: string,
  start: Fold,
  onEvents: (events: readonly LogEvent[], fold: Fold) => void,
): Reading {
  let fold = start;
  const recent: LogEvent[] = [];

  function take(events: readonly LogEvent[]): void {
    const fresh = events.filter(({ sequence }) => sequence > fold.head);
    if (fresh.length === 0) return;
    fold = fold.add(fresh);
    for (const event of fresh) recent.push(event);
    if (recent.length > 2 * RECENT) recent.splice(0, recent.length - RECENT);
    onEvents(fresh, fold);
  }

  return {
    get fold() {
      return fold;
    },
    take,
    async catchUp(until = Infinity) {
      while (fold.head < until) {
        const page = await store.events(run, fold.head, Math.min(PAGE, until - fold.head));
        if (page.length === 0) return;
        take(page);
      }
    },
    since(before) {
      const missed = fold.head - before.head;
      return missed > recent.length ? undefined : recent.slice(recent.length - missed);
    },
  };
}
