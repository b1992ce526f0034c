import { setImmediate as turnOfLoop } from "node:timers/promises";
import type { LogEvent } from "@bylaw/kernel";
import { Overview, type RunOverview } from "./overview.ts";
import type { EventSource } from "./read-rows.ts";

/** How many states are kept, how many events apart they are at first, and how many events are read at once. */
const KEPT = 32;
const APART = 1_000;
const READ = 200;

interface StateRequest {
  readonly at: number;
  readonly signal?: AbortSignal;
  readonly read?: () => Promise<void>;
}

/** The present state of a run, and some of its earlier states, so that the state at any event is soon found. */
export class OverviewHistory {
  readonly live = new Overview();
  #kept: Overview[] = [];
  #apart = APART;
  #waiting: { readonly at: number; readonly pass: () => void }[] = [];

  add(events: readonly LogEvent[]): void {
    this.live.add(events);
    const passed = this.#waiting.filter(({ at }) => at <= this.live.head);
    if (passed.length > 0) this.#waiting = this.#waiting.filter((one) => !passed.includes(one));
    for (const { pass } of passed) pass();
    const last = this.#kept.at(-1)?.head ?? 0;
    if (this.live.head - last < this.#apart) return;
    this.#kept.push(this.live.copy());
    if (this.#kept.length < KEPT) return;
    this.#apart *= 2;
    this.#kept = this.#kept.filter((_, index) => index % 2 === 1);
  }

  /**
   * The state as it was after an event. Events after the nearest kept state are read again. `read`: resolves when all events were added, if
   * they still are being added. It may reject, and then what is missing is read here.
   */
  async at(
    source: EventSource,
    run: string,
    { at, signal, read = () => Promise.resolve() }: StateRequest,
  ): Promise<RunOverview> {
    if (this.live.head < at) await Promise.race([this.#passed(at), read().catch((): void => {})]);
    const overview = this.#kept.findLast(({ head }) => head <= at)?.copy() ?? new Overview();
    while (overview.head < at) {
      signal?.throwIfAborted();
      const events = await source.events(run, overview.head, Math.min(READ, at - overview.head));
      if (events.length === 0) break;
      overview.add(events);
      await turnOfLoop();
    }
    return overview.value();
  }

  #passed(at: number): Promise<void> {
    return new Promise((pass) => this.#waiting.push({ at, pass }));
  }
}
