import type { LogEvent, StoredDocument } from "@bylaw/kernel";
import type { Connection } from "./engine.ts";
import { eventOf, type DocumentRow, type EventRow } from "./rows.ts";

/** What is asked of a file without writing to it. */
export interface Reads {
  /** The row of a document that is neither deleted nor expired. */
  document(kind: string, id: string): StoredDocument | undefined;
  events(run: string, after: number, limit: number): readonly LogEvent[];
  /** The number of the last write of all. */
  touched(): number;
  /** The runs that grew with the writes after one, and how far. */
  grown(since: number): readonly { readonly name: string; readonly head: number; readonly touched: number }[];
}

export function createReads(db: Connection, now: () => number): Reads {
  const document = db.prepare<[string, string], DocumentRow>("select version, value, expires_at from documents where kind = ? and id = ?");
  const events = db.prepare<[string, number, number], EventRow>(
    `select sequence, body, hash from events
     where run = (select id from runs where name = ?) and sequence > ? order by sequence limit ?`,
  );
  const touched = db.prepare<[], number | null>("select max(touched) from runs").pluck();
  const grown = db.prepare<[number], { name: string; head: number; touched: number }>(
    "select name, head, touched from runs where touched > ? order by touched",
  );
  return {
    document(kind, id) {
      const row = document.get(kind, id);
      if (row === undefined || row.value === null) return undefined;
      if (row.expires_at !== null && row.expires_at <= now()) return undefined;
      return { version: row.version, value: row.value };
    },
    events: (run, after, limit) => events.all(run, after, Math.min(limit, Number.MAX_SAFE_INTEGER)).map(eventOf),
    touched: () => touched.get() ?? 0,
    grown: (since) => grown.all(since),
  };
}
