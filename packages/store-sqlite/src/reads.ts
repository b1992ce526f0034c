import type { LogEvent, StoredDocument } from "@bylaw/kernel";
import type { Connection } from "./engine.ts";
import { eventOf, type DocumentRow, type EventRow } from "./rows.ts";

/** What is asked of a file without writing to it. */
export interface Reads {
  /** The row of a document that is neither deleted nor expired. */
  document(kind: string, id: string): StoredDocument | undefined;
  events(run: string, after: number, limit: number): readonly LogEvent[];
  /** The id of the last event of all. */
  last(): number;
  /** The runs that have events after one, and how far they have grown. */
  grown(since: number): readonly { readonly name: string; readonly head: number; readonly last: number }[];
}

export function createReads(db: Connection, now: () => number): Reads {
  const document = db.prepare<[string, string], DocumentRow>("select version, value, expires_at from documents where kind = ? and id = ?");
  const events = db.prepare<[string, number, number], EventRow>(
    `select sequence, body, hash from events
     where run = (select id from runs where name = ?) and sequence > ? order by sequence limit ?`,
  );
  const last = db.prepare<[], number | null>("select max(id) from events").pluck();
  const grown = db.prepare<[number], { name: string; head: number; last: number }>(
    `select name, max(sequence) as head, max(events.id) as last from events join runs on runs.id = run
     where events.id > ? group by run order by last`,
  );
  return {
    document(kind, id) {
      const row = document.get(kind, id);
      if (row === undefined || row.value === null) return undefined;
      if (row.expires_at !== null && row.expires_at <= now()) return undefined;
      return { version: row.version, value: row.value };
    },
    events: (run, after, limit) => events.all(run, after, Math.min(limit, Number.MAX_SAFE_INTEGER)).map(eventOf),
    last: () => last.get() ?? 0,
    grown: (since) => grown.all(since),
  };
}
