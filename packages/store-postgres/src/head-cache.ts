import type { LogEvent } from "@bylaw/kernel";

/** The end of a log as this process last saw it. */
export interface Head {
  readonly sequence: number;
  /** `sha256:…`. `undefined` if only the sequence is known. */
  readonly link: string | undefined;
  /** The last events, in order up to `sequence`. Empty until `eventsAfter` asks for some. */
  readonly events: readonly LogEvent[];
  /** Set by `eventsAfter`. Most writers have seen every event, so events are kept only for logs that need them. */
  keepsEvents: boolean;
}

interface CachedHead extends Head {
  sequence: number;
  link: string | undefined;
  events: LogEvent[];
}

const RUNS = 500;
const EVENTS = 64;

/** Caches the ends of logs, so that a commit rarely has to read them. An entry may be out of date. */
export class HeadCache {
  readonly #heads = new Map<string, CachedHead>();

  /** Valid until the next call of `saw` or `moveTo`. */
  get(run: string): Head | undefined {
    return this.#heads.get(run);
  }

  /** Adds recorded events, in order. */
  saw(run: string, events: readonly LogEvent[]): void {
    const last = events.at(-1);
    const first = events[0]?.sequence ?? 0;
    const head = this.#heads.get(run);
    if (last === undefined || (head !== undefined && last.sequence <= head.sequence)) return;
    if (head === undefined || first > head.sequence + 1) {
      const keepsEvents = head?.keepsEvents ?? false;
      this.#put(run, {
        sequence: last.sequence,
        link: last.hash,
        events: keepsEvents ? events.slice(-EVENTS) : [],
        keepsEvents,
      });
      return;
    }
    if (head.keepsEvents)
      for (const event of events) if (event.sequence > head.sequence) head.events.push(event);
    if (head.events.length > 2 * EVENTS) head.events.splice(0, head.events.length - EVENTS);
    head.sequence = last.sequence;
    head.link = last.hash;
    this.#put(run, head);
  }

  /** Sets the end of a log to what the database just reported, whatever was seen before. */
  moveTo(run: string, sequence: number, link: string): void {
    const head = this.#heads.get(run);
    if (head?.link !== link)
      this.#put(run, { sequence, link, events: [], keepsEvents: head?.keepsEvents ?? false });
  }

  #put(run: string, head: CachedHead): void {
    this.#heads.delete(run);
    this.#heads.set(run, head);
    if (this.#heads.size > RUNS) this.#heads.delete(this.#heads.keys().next().value ?? "");
  }
}

/** The events after `after` up to a head. `undefined` if the cache does not hold them all. */
export function eventsAfter(head: Head, after: number): readonly LogEvent[] | undefined {
  const { sequence, events } = head;
  if (after >= sequence) return [];
  head.keepsEvents = true;
  const first = events[0]?.sequence ?? Infinity;
  return first <= after + 1 ? events.slice(after + 1 - first) : undefined;
}
