import { isJsonObject, type EventDraft, type LogEvent } from "@bylaw/kernel";
import { placeEvent, type EventBody } from "@bylaw/log";
import type { Query } from "./database.ts";
import { keyOf } from "./names.ts";

interface EventRow {
  readonly sequence: number;
  readonly text: string;
  /** The link in hexadecimal. */
  readonly link: string;
}

/** Events of one run that are stored in one row. */
interface Segment {
  /** The sequence of the last event. */
  readonly last: number;
  /** The texts of the events, one per line. */
  readonly text: string;
  /** The links in hexadecimal, concatenated. */
  readonly links: string;
}

/** The number of hexadecimal digits in a link. */
const LINK = 64;
export const PREFIX = "sha256:";
/** The most characters in a segment of several events. Its row then fits a page, and two often do. */
const LARGEST = 7_000;

export const digitsOf = (link: string): string => link.slice(PREFIX.length);

/** Splits events into segments that fit a page. Only a single event may be longer. */
export function segmentsOf(
  bodies: readonly EventBody[],
): readonly { readonly length: number; readonly text: string }[] {
  const segments: { readonly length: number; readonly text: string }[] = [];
  let texts: string[] = [];
  let size = 0;
  for (const { text } of bodies) {
    if (size > 0 && size + text.length > LARGEST) {
      segments.push({ length: texts.length, text: texts.join("\n") });
      [texts, size] = [[], 0];
    }
    texts.push(text);
    size += text.length + LINK;
  }
  segments.push({ length: texts.length, text: texts.join("\n") });
  return segments;
}

/** Parses the event of a row. Pages and the events for `admit` come from here. */
function eventOf({ sequence, text, link }: EventRow): LogEvent {
  const draft = JSON.parse(text) as EventDraft;
  freeze(draft.details);
  return placeEvent(draft, sequence, PREFIX + link);
}

/** The events of a segment with sequences after `after` and up to `until`, in order. */
function eventsIn(
  { last, text, links }: Segment,
  after: number,
  until = last,
): readonly LogEvent[] {
  const texts = text.split("\n");
  const first = last - texts.length + 1;
  const events: LogEvent[] = [];
  for (const [at, line] of texts.entries()) {
    const sequence = first + at;
    if (sequence > after && sequence <= until)
      events.push(eventOf({ sequence, text: line, link: links.slice(at * LINK, (at + 1) * LINK) }));
  }
  return events;
}

// A fresh value of JSON.parse has no cycle and no getter, so it can be frozen in place.
function freeze(value: unknown): void {
  if (!Array.isArray(value) && !isJsonObject(value)) return;
  for (const item of Object.values(value)) freeze(item);
  Object.freeze(value);
}

const MAX_LIMIT = 2 ** 31 - 1;

/** Reads at most `limit` events of a run after a sequence, in order. */
export async function readEvents(
  query: Query,
  run: string,
  after: number,
  limit: number,
): Promise<readonly LogEvent[]> {
  if (!(limit > 0)) return [];
  const from = Math.max(0, Math.trunc(after) || 0);
  const until = from + Math.min(Math.trunc(limit), MAX_LIMIT);
  const rows = await query<Segment>(
    `select last, text, encode(links, 'hex') as links from {schema}.segments
      where run = $1 and last > $2 and last - length < $3 order by last limit $4`,
    [keyOf(run), from, until, until - from],
  );
  return rows.flatMap((row) => eventsIn(row, from, until));
}
