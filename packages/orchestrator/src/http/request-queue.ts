import { AsyncResource } from "node:async_hooks";

/** How many requests start in one tick of the event loop. */
const PER_TICK = 64;
/** The longest that requests wait for new connections, in milliseconds. */
const MAX_HOLD_MS = 100;

/**
 * Keeps a flood of requests from delaying health probes. Node accepts one connection per tick of the event loop, so a probe that connects
 * during a flood would wait until all requests before it have run. Here connections go first, then a few requests per tick.
 */
export class RequestQueue {
  readonly #waiting: (() => void)[] = [];
  #accepted = false;
  #heldSince: number | undefined;

  connectionAccepted(): void {
    this.#accepted = true;
  }

  /** Starts a request soon, in its own async context, because tracing tells requests apart by it. */
  add(start: () => void): void {
    if (this.#waiting.push(AsyncResource.bind(start)) === 1) this.#schedule();
  }

  #schedule(): void {
    setImmediate(() => {
      if (!this.#isHeld()) for (const start of this.#waiting.splice(0, PER_TICK)) start();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #isHeld(): boolean {
    const now = performance.now();
    const since = this.#heldSince ?? now;
    const held = this.#accepted && this.#waiting.length > PER_TICK && now - since < MAX_HOLD_MS;
    this.#accepted = false;
    this.#heldSince = held ? since : undefined;
    return held;
  }
}
