import type { LogEvent } from "@bylaw/kernel";
import { askAdmit, linkOfText } from "@bylaw/log";
import { eventOf } from "./events.ts";
import { eventsAfter, type Head, type Heads } from "./heads.ts";
import type { Item } from "./item.ts";

/** What a batch says of one commit. */
export interface Entry {
  readonly item: Item;
  /** Whether the commit is written, or only asked about. */
  readonly writes: boolean;
  /** The head on which alone it is right; left out: any. */
  readonly on?: { readonly sequence: number; readonly link: string | undefined };
  /** What `admit` threw about that head. */
  readonly refusal?: { readonly error: unknown };
}

/** The head that a log will have when the commits before have been written. */
interface Ahead {
  sequence: number;
  link: string | undefined;
  events: readonly LogEvent[];
  /** Texts that are not yet among the events. */
  texts: readonly string[];
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
    events += item.texts.length;
    for (const text of item.texts) bytes += text.length;
  }
  queue.splice(0, taken, ...later);
  return entries;
}

/** `undefined`: it waits for the batch to come back, because nobody can say yet what it will be written on. */
function entryOf(item: Item, heads: Heads, aheads: Map<string, Ahead | undefined>): Entry | undefined {
  const { key, admit, request, seen, texts } = item;
  const ahead = aheads.has(key) ? aheads.get(key) : aheadOf(heads.get(key));
  if (admit === undefined) {
    aheads.set(key, follow(ahead, texts));
    return { item, writes: true };
  }
  if (request !== undefined && !item.asked) return ask(item);
  // Who has read further than this process tells it how far the log is at least.
  const base = ahead !== undefined && (seen <= ahead.sequence || item.attempts > 0) ? ahead : guess(seen);
  if (base !== ahead && aheads.has(key)) return undefined;
  settleTexts(base);
  const after = lastKnown(item);
  const unseen = eventsAfter(base as Head, after);
  if (unseen === undefined || (unseen.length > 0 && base.link === undefined)) return aheads.has(key) ? undefined : ask(item);
  const on = { sequence: base.sequence, link: base.link };
  try {
    askAdmit(admit, () => [...item.known, ...unseen]);
  } catch (error) {
    if (!aheads.has(key)) aheads.set(key, base);
    return { item, writes: false, on, refusal: { error } };
  }
  aheads.set(key, follow(base, texts));
  return { item, writes: true, on };
}

const ask = (item: Item): Entry => ({ item, writes: false, on: { sequence: NOWHERE, link: undefined } });

/** The last event that an item's writer has seen or that was told for it. */
export const lastKnown = ({ known, seen }: Item): number => known.at(-1)?.sequence ?? seen;

const aheadOf = (head: Head | undefined): Ahead | undefined => (head === undefined ? undefined : { ...head, texts: [] });
const guess = (sequence: number): Ahead => ({ sequence, link: undefined, events: [], texts: [] });

// Only with a link can be said what comes after: the same number could be another's event.
const follow = (ahead: Ahead | undefined, texts: readonly string[]): Ahead | undefined =>
  ahead?.link === undefined ? undefined : { ...ahead, texts: [...ahead.texts, ...texts] };

function settleTexts(ahead: Ahead): void {
  const { texts } = ahead;
  ahead.texts = [];
  for (const text of texts) {
    if (ahead.link === undefined) return;
    ahead.sequence += 1;
    ahead.link = linkOfText(ahead.link, ahead.sequence, text);
    ahead.events = [...ahead.events, eventOf({ sequence: ahead.sequence, text, link: ahead.link.slice("sha256:".length) })];
  }
}
