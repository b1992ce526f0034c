import type { Connection } from "./engine.ts";
import type { Reads } from "./reads.ts";

type OnHead = (run: string, head: number) => void;

/** Tells watchers how far runs have grown. Looks for writes of other processes as long as there is a watcher. */
export class Watchers {
  readonly #version;
  readonly #reads: Reads;
  readonly #poll_ms: number;
  readonly #watchers = new Set<OnHead>();
  #timer: NodeJS.Timeout | undefined;
  #seen = 0;
  #known = 0;

  constructor(db: Connection, reads: Reads, poll_ms: number) {
    this.#version = db.prepare<[], number>("pragma data_version").pluck();
    this.#reads = reads;
    this.#poll_ms = poll_ms;
  }

  add(onHead: OnHead): () => void {
    if (this.#watchers.size === 0) {
      this.#known = this.#version.get() ?? 0;
      this.#seen = this.#reads.last();
      this.#timer = setInterval(() => this.#poll(), this.#poll_ms);
    }
    // A new function for each call, so that adding the same callback twice needs two removals.
    const watcher: OnHead = (run, head) => onHead(run, head);
    this.#watchers.add(watcher);
    return () => this.#remove(watcher);
  }

  /** Reports what this store wrote: the runs that grew, and the id of the file's last segment before and after. */
  tell(grown: ReadonlyMap<string, number>, before: number, last: number): void {
    if (this.#watchers.size === 0) return;
    // If nothing else was written in between, `poll` need not look at these segments.
    if (before === this.#seen) this.#seen = last;
    for (const [run, head] of grown) this.#notify(run, head);
  }

  close(): void {
    for (const watcher of this.#watchers) this.#remove(watcher);
  }

  #notify(run: string, head: number): void {
    for (const watcher of this.#watchers) {
      try {
        watcher(run, head);
      } catch {
        // An error of a watcher must not affect the log.
      }
    }
  }

  #poll(): void {
    try {
      const current = this.#version.get() ?? 0;
      if (current === this.#known) return;
      for (const { name, head, last } of this.#reads.grown(this.#seen)) {
        this.#seen = Math.max(this.#seen, last);
        this.#notify(name, head);
      }
      this.#known = current;
    } catch {
      // The file is locked for a moment. The next poll reports what this one missed.
    }
  }

  #remove(watcher: OnHead): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
