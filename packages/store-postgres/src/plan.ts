import type { LogEvent } from "@bylaw/kernel";
import { askAdmit, linkOfText, numbered } from "@bylaw/log";
import { eventsAfter, type Head, type Heads } from "./heads.ts";
import type { Item } from "./item.ts";

/** What a batch says of one commit. */
export interface Entry {
  readonly item: Item;
  /** Whether the commit is written, or only asked about. */
  readonly writes: boolean;
  /** The head on which alone it is right; left out: any. */
  readonly on?: Place;
  /** What it comes to where the log ends as it was last seen, and as the entries before leave it. */
  readonly ahead?: { readonly on: Place & { readonly link: string }; readonly events: readonly LogEvent[] };
  /** What `admit` threw about that head. */
  readonly refusal?: { readonly error: unknown };
}

interface Place {
  readonly sequence: number;
  readonly link: string | undefined;
}

/** The head that a log will have when the commits before have been written. */
interface Ahead {
  sequence: number;
  link: string | undefined;
  /** As it is on record. */
  readonly head: Head;
  /** The events behind it. */
  readonly planned: LogEvent[];
}

const EVENTS = 2_000;
const BYTES = 4_000_000;
/** No head has this number: asks for the events that a commit has not seen. */
const NOWHERE = -1;

/**
 * Takes the next batch out of the queue, as many commits as one statement should carry. Every `admit` is asked about the log as it
 * will be if all before it is written; the database then writes the commit on exactly that head or not at all.
 */
export function planBatch(queue: Item[], heads: Heads): readonly Entry[] {
  const aheads = new Map<string, Ahead | undefined>();
  const entries: Entry[] = [];
  const later: Item[] = [];
  let events = 0;
  let bytes = 0;
  let taken = 0;
  for (const item of queue) {
    if (entries.length > 0 && (events >= EVENTS || bytes >= BYTES)) break;
    taken += 1;
    const entry = entryOf(item, heads, aheads);
    if (entry === undefined) {
      later.push(item);
      continue;
    }
    entries.push(entry);
    events += item.bodies.length;
    for (const { text } of item.bodies) bytes += text.length;
  }
  queue.splice(0, taken, ...later);
  return entries;
}

/** `undefined`: it waits for the batch to come back, because nobody can say yet what it will be written on. */
function entryOf(item: Item, heads: Heads, aheads: Map<string, Ahead | undefined>): Entry | undefined {
  const { key, admit, request, seen } = item;
  const planned = aheads.has(key);
  const ahead = planned ? aheads.get(key) : aheadOf(heads.get(key));
  if (admit === undefined) {
    const followed = follow(ahead, item);
    aheads.set(key, followed === undefined ? undefined : ahead);
    return followed === undefined ? { item, writes: true } : { item, writes: true, ahead: followed };
  }
  if (request !== undefined && !item.asked) return ask(item);
  // Who has read further than this process tells it how far the log is at least.
  const base = ahead !== undefined && (seen <= ahead.sequence || item.attempts > 0) ? ahead : guess(seen);
  if (base !== ahead && planned) return undefined;
  const after = lastKnown(item);
  const unseen = unseenOf(base, after);
  if (unseen === undefined || (unseen.length > 0 && base.link === undefined)) return planned ? undefined : ask(item);
  const on = { sequence: base.sequence, link: base.link };
  try {
    askAdmit(admit, () => [...item.known, ...unseen]);
  } catch (error) {
    if (!planned) aheads.set(key, base);
    return { item, writes: false, on, refusal: { error } };
  }
  const followed = follow(base, item);
  aheads.set(key, followed === undefined ? undefined : base);
  return followed === undefined ? { item, writes: true, on } : { item, writes: true, on, ahead: followed };
}

const ask = (item: Item): Entry => ({ item, writes: false, on: { sequence: NOWHERE, link: undefined } });

/** The last event that an item's writer has seen or that was told for it. */
export const lastKnown = ({ known, seen }: Item): number => known.at(-1)?.sequence ?? seen;

const aheadOf = (head: Head | undefined): Ahead | undefined =>
  head === undefined ? undefined : { sequence: head.sequence, link: head.link, head, planned: [] };
const guess = (sequence: number): Ahead => ({ sequence, link: undefined, head: { sequence, link: undefined, events: [] }, planned: [] });

function unseenOf({ head, planned }: Ahead, after: number): readonly LogEvent[] | undefined {
  if (after >= head.sequence) return planned.slice(after - head.sequence);
  const kept = eventsAfter(head, after);
  return kept === undefined ? undefined : [...kept, ...planned];
}

// Only with a link can be said what comes after: the same number could be another's event.
function follow(ahead: Ahead | undefined, { bodies }: Item): NonNullable<Entry["ahead"]> | undefined {
  if (ahead?.link === undefined) return undefined;
  let { sequence, link } = ahead;
  const on = { sequence, link };
  const events = bodies.map((body) => {
    sequence += 1;
    link = linkOfText(link, sequence, body.text);
    return numbered(body, sequence, link);
  });
  ahead.sequence = sequence;
  ahead.link = link;
  for (const event of events) ahead.planned.push(event);
  return { on, events };
}
