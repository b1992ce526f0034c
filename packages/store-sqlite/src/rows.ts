import type { JsonObject, LogEvent } from "@bylaw/kernel";

/** A run: how far its log has grown. */
export interface RunRow {
  readonly id: number;
  readonly head: number;
  readonly link: string;
}

/** Events of a run that stand in one row. */
export interface SegmentRow {
  /** The sequence of the last of them. */
  readonly last: number;
  /** Their texts, each of them one line. */
  readonly bodies: string;
  /** Their links, each of them one line. */
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

/** The events of a segment after one sequence and up to another, in order: they say what the receipt of their commit said. */
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
  const { timestamp, session_id, event_type, agent_id, task_id, details } = JSON.parse(
    text,
  ) as Omit<LogEvent, "sequence" | "hash">;
  return Object.freeze({
    timestamp,
    sequence,
    session_id,
    event_type,
    agent_id,
    task_id,
    details: freeze(details) as JsonObject,
    hash,
  });
}

// What comes from JSON.parse is nobody else's: it is frozen where it is.
function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}
