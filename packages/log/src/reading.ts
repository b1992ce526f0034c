import type { LogEvent, Store } from "@bylaw/kernel";
import type { Fold } from "./fold.ts";

const PAGE = 1_000;
/** How many events are kept to hold decisions against that were made before them. */
const RECENT = 1_000;

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
  let tried: { readonly fold: Fold; readonly link: string } | undefined;

  function take(events: readonly LogEvent[]): void {
    const fresh = events.filter(({ sequence }) => sequence > fold.head);
    if (fresh.length === 0) return;
    fold = fold.add(fresh);
    for (const { agent_id, task_id } of fresh) recent.push({ agent_id, task_id });
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
    // In a batch each commit sees what those before it are about to write. The link says that it is the very same log.
    ahead(unseen) {
      const known = tried !== undefined && unseen.some(({ sequence, hash }) => sequence === tried?.fold.head && hash === tried.link);
      const next = (known && tried !== undefined && tried.fold.head > fold.head ? tried.fold : fold).add(unseen);
      const last = unseen.at(-1);
      tried = last?.hash === undefined || last.sequence !== next.head ? undefined : { fold: next, link: last.hash };
      return next;
    },
    since(before) {
      const missed = fold.head - before.head;
      return missed > recent.length ? undefined : recent.slice(recent.length - missed);
    },
  };
}
