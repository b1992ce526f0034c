import type { EventDraft, LogEvent } from "@bylaw/kernel";
import { placeEvent } from "@bylaw/log";

/** A run with the head of its log. */
export interface RunRow {
  readonly id: number;
  readonly head: number;
  readonly link: string;
}

/** Events of one run that are stored in one row. */
export interface SegmentRow {
  /** The sequence of the last event. */
  readonly last: number;
  /** The texts of the events, one per line. */
  readonly bodies: string;
  /** The hashes of the events, one per line. */
  readonly hashes: string;
}

export interface DocumentRow {
  readonly version: number;
  readonly value: string | null;
  readonly expires_at: number | null;
}

export interface TaskRow {
  readonly position: number;
  readonly id: string;
  readonly run: string;
  readonly phase: string | null;
  readonly owner: string | null;
  readonly fence: number;
}

/** The events of a segment with sequences above `after` and up to `until`, in order. They equal those in the receipt of their commit. */
export function eventsIn(
  { last, bodies, hashes }: SegmentRow,
  after: number,
  until: number,
): readonly LogEvent[] {
  const texts = bodies.split("\n");
  const links = hashes.split("\n");
  const first = last - texts.length + 1;
  const events: LogEvent[] = [];
  for (const [at, text] of texts.entries()) {
    const sequence = first + at;
    if (sequence > after && sequence <= until)
      events.push(eventOf(sequence, text, links[at] ?? ""));
  }
  return events;
}

function eventOf(sequence: number, text: string, hash: string): LogEvent {
  const draft = JSON.parse(text) as EventDraft;
  freeze(draft.details);
  return placeEvent(draft, sequence, hash);
}

// JSON.parse returns fresh values, so they can be frozen in place.
function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}
