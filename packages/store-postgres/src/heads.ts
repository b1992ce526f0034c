import type { LogEvent } from "@bylaw/kernel";

/** The end of a log as this process last saw it. */
export interface Head {
  readonly sequence: number;
  /** `sha256:…`; `undefined` where only the number is known. */
  readonly link: string | undefined;
  /** The last events, in order up to `sequence`; none until `eventsAfter` was asked for some. */
  readonly events: readonly LogEvent[];
  /** Set by `eventsAfter`: most logs have writers who have seen all of them, and whatever is kept of each costs the collector. */
  wanted?: boolean;
}

interface Kept extends Head {
  sequence: number;
  link: string | undefined;
  events: LogEvent[];
}

const RUNS = 500;
const EVENTS = 64;

/** Remembers the ends of the logs that are written to, so that a commit seldom asks for them. What it says may be old; never wrong. */
export interface Heads {
  /** Good until the next `saw` or `at`. */
  get(run: string): Head | undefined;
  /** Events that are on record, in order. */
  saw(run: string, events: readonly LogEvent[]): void;
  /** Where a log ended when the database was last asked, whatever was seen before. */
  at(run: string, sequence: number, link: string): void;
}

export function createHeads(): Heads {
  const heads = new Map<string, Kept>();
  function put(run: string, head: Kept): void {
    heads.delete(run);
    heads.set(run, head);
    if (heads.size <= RUNS) return;
    for (const oldest of heads.keys()) {
      heads.delete(oldest);
      return;
    }
  }
  return {
    get: (run) => heads.get(run),
    saw(run, events) {
      const last = events.at(-1);
      const first = events[0]?.sequence ?? 0;
      const before = heads.get(run);
      if (last === undefined || (before !== undefined && last.sequence <= before.sequence)) return;
      if (before === undefined || first > before.sequence + 1) {
        const { wanted = false } = before ?? {};
        put(run, { sequence: last.sequence, link: last.hash, events: wanted ? events.slice(-EVENTS) : [], wanted });
        return;
      }
      // An overlap holds the same events twice, so the part that is new begins behind it.
      if (before.wanted === true) for (const event of events) if (event.sequence > before.sequence) before.events.push(event);
      // Not one by one: what is taken away at the front moves all the others.
      if (before.events.length > 2 * EVENTS) before.events.splice(0, before.events.length - EVENTS);
      before.sequence = last.sequence;
      before.link = last.hash;
      put(run, before);
    },
    at(run, sequence, link) {
      const before = heads.get(run);
      if (before?.link !== link) put(run, { sequence, link, events: [], wanted: before?.wanted ?? false });
    },
  };
}

/** The events after `after` up to a head; `undefined` where it no longer holds them all. */
export function eventsAfter(head: Head, after: number): readonly LogEvent[] | undefined {
  const { sequence, events } = head;
  if (after >= sequence) return [];
  head.wanted = true;
  const first = events[0]?.sequence ?? Infinity;
  return first <= after + 1 ? events.slice(after + 1 - first) : undefined;
}
