import type { Store } from "@bylaw/kernel";

/** What is to be looked at. */
export interface Wake {
  readonly runId: string;
}

/** Looks at a run and does what there is to do: `again` where there is more, `idle` where something else has to happen first. */
export type WakeHandler = (wake: Wake) => Promise<"again" | "idle">;

/** Delivers wakes, each at least once. A wake is a hint: the log says what there is to do. */
export interface Driver {
  /** `at`: not before, in milliseconds since 1970. `key`: one of several wakes with it is enough. */
  wake(wake: Wake, options?: { readonly at?: number; readonly key?: string }): Promise<void>;
  /** Calls the handler, for one run never twice at once, until the driver is closed. Resolves then. A handler that throws is called again later. */
  serve(handler: WakeHandler): Promise<void>;
  close(): Promise<void>;
}

/** How the embedded driver looks around. */
export interface EmbeddedDriverOptions {
  /** Says when another process wrote to a run. */
  readonly store: Pick<Store, "watch">;
  /** The runs that are looked at from time to time, so that no lost wake stops one. Default: those that were woken. */
  readonly runs?: () => Promise<readonly string[]>;
  /** In milliseconds. Default: 1,000. */
  readonly poll_ms?: number;
  readonly onError?: (error: unknown) => void;
}

/** The driver of one process: its wakes are in memory, and what is lost with it is found again by looking. */
export function createEmbeddedDriver({ store, runs, poll_ms = 1_000, onError = () => {} }: EmbeddedDriverOptions): Driver {
  const due = new Map<string, number>();
  const known = new Set<string>();
  const busy = new Map<string, Promise<void>>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let notify = (): void => {};
  const closing = new AbortController();

  const later = (work: () => void, ms: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  };

  function mark(runId: string, at: number): void {
    known.add(runId);
    due.set(runId, Math.min(at, due.get(runId) ?? Infinity));
    const wait = at - Date.now();
    if (wait > 0) later(() => notify(), Math.min(wait, 2 ** 31 - 1));
    else notify();
  }

  async function handle(handler: WakeHandler, runId: string): Promise<void> {
    try {
      if ((await handler({ runId })) === "again") mark(runId, Date.now());
    } catch (error) {
      onError(error);
      mark(runId, Date.now() + poll_ms);
    } finally {
      busy.delete(runId);
      notify();
    }
  }

  return {
    async wake({ runId }, { at = Date.now() } = {}) {
      if (!closing.signal.aborted) mark(runId, at);
    },
    async serve(handler) {
      const unwatch = await store.watch((run) => {
        if (known.has(run)) mark(run, Date.now());
      });
      const look = async (): Promise<void> => {
        for (const run of (await runs?.().catch((error: unknown) => (onError(error), []))) ?? known) mark(run, Date.now());
        if (!closing.signal.aborted) later(() => void look(), poll_ms);
      };
      await look();
      while (!closing.signal.aborted) {
        for (const [runId, at] of due) {
          if (at > Date.now() || busy.has(runId)) continue;
          due.delete(runId);
          busy.set(runId, handle(handler, runId));
        }
        if (![...due].some(([runId, at]) => at <= Date.now() && !busy.has(runId)))
          await new Promise<void>((resolve) => {
            notify = resolve;
            if (closing.signal.aborted) resolve();
          });
      }
      unwatch();
      await Promise.all(busy.values());
    },
    async close() {
      closing.abort();
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      notify();
      await Promise.all(busy.values());
    },
  };
}
