import type { LogEvent } from "@bylaw/kernel";
import { NO_LINK, linkOfText } from "@bylaw/log";
import type { Body } from "./body.ts";
import type { Connection } from "./engine.ts";
import type { Reads } from "./reads.ts";
import type { RunRow } from "./rows.ts";

/** Events that are numbered and chained, and not written yet. */
interface Appendix {
  readonly events: readonly LogEvent[];
  readonly write: () => void;
}

/** The logs of a file, inside of a transaction. */
export interface Logs {
  /** Numbers and chains what follows the log. Nothing else may be appended to the run before it is written. */
  prepare(run: string, bodies: readonly Body[]): Appendix;
  /** Forgets what it knows of heads: another connection has written, or a transaction was undone. */
  forget(): void;
  /** The sequence of the last event of a run, those included that this transaction has written. */
  head(run: string): number;
  /** Writes how far the runs of this transaction have grown; returns that. */
  finish(): ReadonlyMap<string, number>;
}

type Head = Omit<RunRow, "id"> & { readonly id?: number };

/** After so many events what is new is placed. Until then it is looked through. */
const UNPLACED = 256;
/** So many heads at most are remembered. */
const KNOWN = 10_000;

export function createLogs(db: Connection, reads: Reads): Logs {
  const find = db.prepare<[string], RunRow>("select id, head, link from runs where name = ?");
  const create = db.prepare<[string, string], number>("insert into runs (name, head, link) values (?, 0, ?) returning id").pluck();
  const insert = db.prepare<[number, number, string, string]>("insert into events (run, sequence, body, hash) values (?, ?, ?, ?)");
  const advance = db.prepare<[number, string, number]>("update runs set head = ?, link = ? where id = ?");
  const indexed = db.prepare<[], number>("select last from indexed").pluck();
  const place = db.prepare<[number]>(
    "insert into places (run, sequence, event) select run, sequence, id from events where id > ? order by run, sequence",
  );
  const mark = db.prepare<[number]>("update indexed set last = ?");
  const known = new Map<string, Head>();
  const grown = new Map<string, RunRow>();

  const headOf = (run: string): Head => known.get(run) ?? find.get(run) ?? { head: 0, link: NO_LINK };

  return {
    head: (run) => headOf(run).head,
    prepare(run, bodies) {
      const { id, head, link } = headOf(run);
      let sequence = head;
      let hash = link;
      const rows: (readonly [sequence: number, text: string, hash: string])[] = [];
      const events = bodies.map(({ draft, text }): LogEvent => {
        sequence += 1;
        hash = linkOfText(hash, sequence, text);
        rows.push([sequence, text, hash]);
        const { timestamp, session_id, event_type, agent_id, task_id, details } = draft;
        return Object.freeze({ timestamp, sequence, session_id, event_type, agent_id, task_id, details, hash });
      });
      return {
        events,
        write() {
          const row = { id: id ?? (create.get(run, NO_LINK) as number), head: sequence, link: hash };
          for (const [number, text, end] of rows) insert.run(row.id, number, text, end);
          known.set(run, row);
          grown.set(run, row);
        },
      };
    },
    forget() {
      known.clear();
      grown.clear();
    },
    finish() {
      const heads = new Map<string, number>();
      for (const [run, { id, head, link }] of grown) {
        advance.run(head, link, id);
        heads.set(run, head);
      }
      grown.clear();
      const from = indexed.get() ?? 0;
      const last = reads.last();
      if (last - from >= UNPLACED) {
        place.run(from);
        mark.run(last);
      }
      if (known.size > KNOWN) known.clear();
      return heads;
    },
  };
}
