import type { LogEvent, StoredDocument } from "@bylaw/kernel";
import type { Connection } from "./engine.ts";
import { eventOf, type DocumentRow, type EventRow, type RunRow } from "./rows.ts";

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
  const find = db.prepare<[string], Pick<RunRow, "id" | "head">>("select id, head from runs where name = ?");
  const indexed = db.prepare<[], number>("select last from indexed").pluck();
  const placed = db.prepare<[number, number, number], EventRow>(
    `select events.sequence, body, hash from places join events on events.id = places.event
     where places.run = ? and places.sequence > ? order by places.sequence limit ?`,
  );
  const rest = db.prepare<[number, number, number, number], EventRow>(
    "select sequence, body, hash from events where id > ? and run = ? and sequence > ? order by id limit ?",
  );
  const last = db.prepare<[], number | null>("select max(id) from events").pluck();
  const grown = db.prepare<[number], { name: string; head: number; last: number }>(
    `select name, max(sequence) as head, max(events.id) as last from events join runs on runs.id = run
     where events.id > ? group by run order by last`,
  );
  return {
    document(kind, id) {
      // Of what is no Unicode text the engine would make the name of something else.
      if (!kind.isWellFormed() || !id.isWellFormed()) return undefined;
      const row = document.get(kind, id);
      if (row === undefined || row.value === null) return undefined;
      if (row.expires_at !== null && row.expires_at <= now()) return undefined;
      return { version: row.version, value: row.value };
    },
    events(run, after, limit) {
      const { id, head } = (run.isWellFormed() ? find.get(run) : undefined) ?? { id: 0, head: 0 };
      // Inside of a transaction the head is written last.
      const wanted = Math.min(limit, db.inTransaction ? Number.MAX_SAFE_INTEGER : head - after);
      if (id === 0 || wanted <= 0) return [];
      // Read before what is placed: of what is placed meanwhile nothing is missed, and the sequence tells what is there twice.
      const from = indexed.get() ?? 0;
      const rows = placed.all(id, after, wanted);
      if (rows.length < wanted) rows.push(...rest.all(from, id, rows.at(-1)?.sequence ?? after, wanted - rows.length));
      return rows.map(eventOf);
    },
    last: () => last.get() ?? 0,
    grown: (since) => grown.all(since),
  };
}
