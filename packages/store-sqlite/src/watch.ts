import type { Connection } from "./engine.ts";
import type { Reads } from "./reads.ts";

/** Tells watchers how far runs have grown. */
export interface Watchers {
  add(onHead: (run: string, head: number) => void): () => void;
  /** What this store wrote itself: the runs that grew, and the ids of the last events before and after. */
  tell(grown: ReadonlyMap<string, number>, before: number, last: number): void;
  close(): void;
}

/** Other processes' writes are looked for every `poll_ms`, as long as somebody watches. */
export function createWatchers(db: Connection, reads: Reads, poll_ms: number): Watchers {
  const version = db.prepare<[], number>("pragma data_version").pluck();
  const watchers = new Set<(run: string, head: number) => void>();
  let timer: NodeJS.Timeout | undefined;
  let seen = 0;
  let known = 0;

  function notify(run: string, head: number): void {
    for (const watcher of watchers) {
      try {
        watcher(run, head);
      } catch {
        // A watcher's own fault is no fault of the log.
      }
    }
  }

  function poll(): void {
    try {
      const current = version.get() ?? 0;
      if (current === known) return;
      for (const { name, head, last } of reads.grown(seen)) {
        seen = Math.max(seen, last);
        notify(name, head);
      }
      known = current;
    } catch {
      // Somebody else has the file to themselves for a moment; what is missed now is told the next time.
    }
  }

  function remove(watcher: (run: string, head: number) => void): void {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    add(onHead) {
      if (watchers.size === 0) {
        known = version.get() ?? 0;
        seen = reads.last();
        timer = setInterval(poll, poll_ms);
      }
      // One for each call: who watches twice stops twice.
      const watcher = (run: string, head: number): void => onHead(run, head);
      watchers.add(watcher);
      return () => remove(watcher);
    },
    tell(grown, before, last) {
      if (watchers.size === 0) return;
      // What this store wrote without a gap after what is known needs not be found once more.
      if (before === seen) seen = last;
      for (const [run, head] of grown) notify(run, head);
    },
    close() {
      for (const watcher of watchers) remove(watcher);
    },
  };
}
