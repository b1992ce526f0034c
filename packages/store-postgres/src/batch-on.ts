import type { Outcome, Turn } from "./batch-call.ts";
import type { Database } from "./database.ts";
import { digitsOf, segmentsOf } from "./events.ts";
import type { Item } from "./item.ts";
import type { Entry } from "./plan.ts";

/** What a batch adds to one run: a head that must still be there, and the events behind it. */
interface Growth {
  readonly key: string;
  readonly on: { readonly sequence: number; readonly link: string };
  readonly items: Item[];
  readonly links: string[];
}

const CALL = "select {schema}.commit_batch_on($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

/**
 * What a batch adds to its runs, sorted by their keys as the database sorts them; `undefined` where one of its commits hangs on more
 * than its place in the log, or nobody here knows what that is.
 */
export function growthsOf(entries: readonly Entry[]): readonly Growth[] | undefined {
  const growths = new Map<string, Growth>();
  for (const { item, writes, ahead } of entries) {
    if (!writes || ahead === undefined || item.request !== undefined || item.task !== undefined || item.documents.length > 0)
      return undefined;
    const growth = growths.get(item.key) ?? { key: item.key, on: ahead.on, items: [], links: [] };
    growths.set(item.key, growth);
    growth.items.push(item);
    for (const { hash } of ahead.events) growth.links.push(digitsOf(hash ?? ""));
  }
  const all = [...growths.values()];
  return all.length === 1 ? all : all.sort(all.some(({ key }) => PAIR.test(key)) ? byBytes : byUnits);
}

// Everybody who holds several runs takes them in the order that the index has them in, which is that of the bytes. Of texts without
// a pair of surrogates it is that of their units, too.
const PAIR = /[\ud800-\udfff]/;
const byUnits = (one: Growth, other: Growth): number => (one.key < other.key ? -1 : 1);
const byBytes = (one: Growth, other: Growth): number => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key));

/** Sends a batch as one statement, which is one transaction: all of it is written, or BY004 is thrown. */
export function callBatchOn(database: Database, { writer, batch, lock_timeout_ms }: Turn, growths: readonly Growth[]): Promise<void> {
  const runs: string[] = [];
  const lasts: number[] = [];
  const lengths: number[] = [];
  const texts: string[] = [];
  const links: string[] = [];
  for (const { key, on, items, links: own } of growths) {
    let at = 0;
    for (const { length, text } of segmentsOf(items.length === 1 ? (items[0]?.bodies ?? []) : items.flatMap(({ bodies }) => bodies))) {
      runs.push(key);
      lasts.push(on.sequence + at + length);
      lengths.push(length);
      texts.push(text);
      links.push(own.slice(at, at + length).join(""));
      at += length;
    }
  }
  return database.call(CALL, 13, (to) => {
    to.uuid(writer);
    to.long(batch);
    to.int(lock_timeout_ms);
    to.texts(growths.map(({ key }) => key));
    to.longs(growths.map(({ on }) => on.sequence));
    to.bytes(growths.map(({ on }) => digitsOf(on.link)));
    to.longs(growths.map(({ on, links: own }) => on.sequence + own.length));
    to.bytes(growths.map(({ links: own }) => own.at(-1) ?? ""));
    to.texts(runs);
    to.longs(lasts);
    to.ints(lengths);
    to.texts(texts);
    to.bytes(links);
  });
}

/** What a batch came to that was written as planned. */
export const writtenAsPlanned = (entries: readonly Entry[]): readonly (readonly [Entry, Outcome])[] =>
  entries.map((entry) => [entry, { kind: "written", events: entry.ahead?.events ?? [] }] as const);
