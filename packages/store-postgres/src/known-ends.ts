import type { LogEvent } from "@bylaw/kernel";
import type { LogEnd } from "./logs.ts";

const RUNS = 500;
const EVENTS = 128;

/**
 * The ends of logs as this process last saw them. While no other process writes to a log, its events are numbered on the known end and
 * written with a single statement, which makes a lone writer twice as fast as a transaction that locks and reads first.
 */
export class KnownEnds {
  readonly #ends = new Map<string, LogEnd>();

  get(run: string): LogEnd | undefined {
    return this.#ends.get(run);
  }

  /** Notes the end of a log after a write of this process. */
  set(run: string, end: LogEnd): void {
    const before = this.#ends.get(run);
    const follows = before !== undefined && before.sequence === end.after;
    const events = (follows ? [...before.events, ...end.events] : end.events).slice(-EVENTS);
    this.#ends.delete(run);
    this.#ends.set(run, { ...end, events, after: end.sequence - events.length });
    if (this.#ends.size > RUNS) this.#ends.delete(this.#ends.keys().next().value ?? "");
  }

  /** Notes an event that this process has recorded outside of a batch. */
  saw(run: string, event: LogEvent): void {
    const { sequence, hash = "" } = event;
    this.set(run, { sequence, link: hash, after: sequence - 1, events: [event] });
  }
}
