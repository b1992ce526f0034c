import type { LogEvent } from "@bylaw/kernel";
import type { StoredDocument } from "@bylaw/store";
import type { Connection } from "./engine.ts";
import { eventsIn, type DocumentRow, type RunRow, type SegmentRow } from "./rows.ts";

/** Queries of a file that write nothing. */
export interface Reads {
  /** A document that is neither deleted nor expired. */
  document(kind: string, id: string): StoredDocument | undefined;
  events(run: string, after: number, limit: number): readonly LogEvent[];
  /** The id of the last segment of the file. */
  last(): number;
  /** The runs with segments after the id `since`, each with its head. */
  grown(
    since: number,
  ): readonly { readonly name: string; readonly head: number; readonly last: number }[];
}

export function createReads(db: Connection, now: () => number): Reads {
  const document = db.prepare<[string, string], DocumentRow>(
    "select version, value, expires_at from documents where kind = ? and id = ?",
  );
  const find = db.prepare<[string], Pick<RunRow, "id" | "head">>(
    "select id, head from runs where name = ?",
  );
  const indexed = db.prepare<[], number>("select last from indexed").pluck();
  const placed = db.prepare<[number, number], SegmentRow>(
    `select last, bodies, hashes from places join segments on segments.id = places.event
     where places.run = ? and places.sequence > ? order by places.sequence`,
  );
  const rest = db.prepare<[number, number, number], SegmentRow>(
    "select last, bodies, hashes from segments where id > ? and run = ? and last > ? order by id",
  );
  const last = db.prepare<[], number | null>("select max(id) from segments").pluck();
  const grown = db.prepare<[number], { name: string; head: number; last: number }>(
    `select name, max(segments.last) as head, max(segments.id) as last from segments join runs on runs.id = run
     where segments.id > ? group by run order by 3`,
  );
  return {
    document(kind, id) {
      // SQLite changes text that is not well-formed Unicode, so it could match another name.
      if (!kind.isWellFormed() || !id.isWellFormed()) return undefined;
      const row = document.get(kind, id);
      if (row === undefined || row.value === null) return undefined;
      if (row.expires_at !== null && row.expires_at <= now()) return undefined;
      return { version: row.version, value: row.value };
    },
    events(run, since, limit) {
      const after = Math.max(0, since);
      const { id, head } = (run.isWellFormed() ? find.get(run) : undefined) ?? { id: 0, head: 0 };
      // Inside a transaction the row of the run is written last, so its head is out of date.
      const wanted = Math.min(limit, db.inTransaction ? Number.MAX_SAFE_INTEGER : head - after);
      if (id === 0 || wanted <= 0) return [];
      // Read this before the index: events indexed in between are then returned twice at worst, and `take` skips those.
      const from = indexed.get() ?? 0;
      const until = after + wanted;
      const found: LogEvent[] = [];
      take(found, placed.iterate(id, after), after, until);
      const reached = found.at(-1)?.sequence ?? after;
      if (reached < until) take(found, rest.iterate(from, id, reached), reached, until);
      return found;
    },
    last: () => last.get() ?? 0,
    grown: (since) => grown.all(since),
  };
}

/** Takes events up to the sequence `until`. Reads no segment after that. */
function take(
  found: LogEvent[],
  segments: Iterable<SegmentRow>,
  after: number,
  until: number,
): void {
  for (const segment of segments) {
    for (const event of eventsIn(segment, after, until)) found.push(event);
    if (segment.last >= until) return;
  }
}
