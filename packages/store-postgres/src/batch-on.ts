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

const CALL_ONE = "select {schema}.commit_batch_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
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

/** A segment of a run. */
interface Piece {
  readonly key: string;
  readonly last: number;
  readonly length: number;
  readonly text: string;
  readonly links: string;
}

function piecesOf({ key, on, items, links }: Growth): readonly Piece[] {
  let at = 0;
  const bodies = items.length === 1 ? (items[0]?.bodies ?? []) : items.flatMap((item) => item.bodies);
  return segmentsOf(bodies).map(({ length, text }) => {
    const own = length === 1 ? (links[at] ?? "") : links.slice(at, at + length).join("");
    at += length;
    return { key, last: on.sequence + at, length, text, links: own };
  });
}

const endOf = ({ on, links }: Growth): number => on.sequence + links.length;
const endLinkOf = ({ links }: Growth): string => links.at(-1) ?? "";

/** Sends a batch as one statement, which is one transaction: all of it is written, or BY004 is thrown. */
export function callBatchOn(database: Database, { writer, batch, lock_timeout_ms }: Turn, growths: readonly Growth[]): Promise<void> {
  const pieces = growths.flatMap(piecesOf);
  const [growth] = growths;
  const [piece] = pieces;
  if (growth !== undefined && piece !== undefined && pieces.length === 1) {
    return database.call(CALL_ONE, 11, (to) => {
      to.uuid(writer);
      to.long(batch);
      to.int(lock_timeout_ms);
      to.text(growth.key);
      to.long(growth.on.sequence);
      to.bytea(digitsOf(growth.on.link));
      to.long(piece.last);
      to.bytea(endLinkOf(growth));
      to.int(piece.length);
      to.text(piece.text);
      to.bytea(piece.links);
    });
  }
  return database.call(CALL, 13, (to) => {
    to.uuid(writer);
    to.long(batch);
    to.int(lock_timeout_ms);
    to.texts(growths.map(({ key }) => key));
    to.longs(growths.map(({ on }) => on.sequence));
    to.byteas(growths.map(({ on }) => digitsOf(on.link)));
    to.longs(growths.map(endOf));
    to.byteas(growths.map(endLinkOf));
    to.texts(pieces.map(({ key }) => key));
    to.longs(pieces.map(({ last }) => last));
    to.ints(pieces.map(({ length }) => length));
    to.texts(pieces.map(({ text }) => text));
    to.byteas(pieces.map(({ links }) => links));
  });
}

/** What a batch came to that was written as planned. */
export const writtenAsPlanned = (entries: readonly Entry[]): readonly (readonly [Entry, Outcome])[] =>
  entries.map((entry) => [entry, { kind: "written", events: entry.ahead?.events ?? [] }] as const);
