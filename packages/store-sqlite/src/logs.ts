import type { LogEvent } from "@bylaw/kernel";
import { NO_LINK, linkOfText, numbered, type Body } from "@bylaw/log";
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
  /** All events of a run after a sequence, those included that this transaction has written. */
  after(run: string, sequence: number): readonly LogEvent[];
  /** Writes what this transaction has for a run, so that it can be read. */
  flush(run: string): void;
  /** Writes how far the runs of this transaction have grown; returns that, and the id of the last segment of all. */
  finish(): { readonly grown: ReadonlyMap<string, number>; readonly last: number };
}

type Head = Omit<RunRow, "id"> & {
  readonly id?: number;
  /** The last events, in order up to the head; left out until somebody asked for some. */
  readonly recent?: LogEvent[];
};

/** What a transaction adds to a run: written together, because a row costs more than what is in it. */
interface Growth {
  readonly id: number;
  /** The head before. */
  readonly from: number;
  readonly texts: string[];
  readonly hashes: string[];
  size: number;
  head: number;
  link: string;
}

/** After so many segments what is new is placed. Until then it is looked through. */
const UNPLACED = 256;
/** So many heads at most are remembered. */
const KNOWN = 10_000;
/**
 * Of so many runs the last events are remembered, and none that is longer than that: as many as the last transaction had, and at least so many. Who
 * writes has seen all that stands before them; kept for longer they would be old by the time they go, which costs a collection of all memory.
 */
const REMEMBERED = 64;
const SHORT = 4_000;
const FEW = 32;
/** So many signs are a segment at most that has more than one event: who wants one event has to read all of it. */
const LARGEST = 16_000;

export function createLogs(db: Connection, reads: Reads): Logs {
  const find = db.prepare<[string], RunRow>("select id, head, link from runs where name = ?");
  const create = db
    .prepare<[string, string], number>(
      "insert into runs (name, head, link) values (?, 0, ?) returning id",
    )
    .pluck();
  const insert = db.prepare<[number, number, number, string, string]>(
    "insert into segments (run, last, length, bodies, hashes) values (?, ?, ?, ?, ?)",
  );
  const advance = db.prepare<[number, string, number]>(
    "update runs set head = ?, link = ? where id = ?",
  );
  const indexed = db.prepare<[], number>("select last from indexed").pluck();
  const place = db.prepare<[number]>(
    "insert into places (run, sequence, event) select run, last, id from segments where id > ? order by run, last",
  );
  const mark = db.prepare<[number]>("update indexed set last = ?");
  const known = new Map<string, Head>();
  let grown = new Map<string, Growth>();
  // How many runs have events that are remembered.
  let remembered = 0;
  // Up to where segments are placed, as this connection last saw it.
  let placed: number | undefined;

  const headOf = (run: string): Head =>
    known.get(run) ?? find.get(run) ?? { head: 0, link: NO_LINK };

  function growthOf(run: string, id: number | undefined, head: number): Growth {
    const before = grown.get(run);
    if (before !== undefined) {
      if (before.head === head) return before;
      throw new Error(
        `Run \`${run}\` has head ${head}, but this transaction has reached ${before.head}`,
      );
    }
    const growth = {
      id: id ?? (create.get(run, NO_LINK) as number),
      from: head,
      texts: [],
      hashes: [],
      size: 0,
      head,
      link: NO_LINK,
    };
    grown.set(run, growth);
    return growth;
  }

  function write({ id, texts, hashes, head }: Growth): void {
    if (texts.length > 0) insert.run(id, head, texts.length, texts.join("\n"), hashes.join("\n"));
  }

  function flush(growth: Growth): void {
    write(growth);
    growth.texts.length = 0;
    growth.hashes.length = 0;
    growth.size = 0;
  }

  // The file says where a run stands, but for what this transaction has for it.
  function forgetHeads(): void {
    for (const [run, { recent: _, ...head }] of known) {
      if (grown.has(run)) known.set(run, head);
      else known.delete(run);
    }
    remembered = 0;
  }

  function flushRun(run: string): void {
    const growth = grown.get(run);
    if (growth !== undefined) flush(growth);
  }

  return {
    after(run, sequence) {
      const { head, recent, ...rest } = headOf(run);
      if (sequence >= head) return [];
      if (recent !== undefined && sequence >= head - recent.length)
        return recent.slice(recent.length - (head - sequence));
      if (recent === undefined) {
        remembered += 1;
        if (remembered > REMEMBERED) forgetHeads();
        known.set(run, { head, ...rest, recent: [] });
      }
      flushRun(run);
      return reads.events(run, sequence, Infinity);
    },
    prepare(run, bodies) {
      const { id, head, link } = headOf(run);
      let sequence = head;
      let hash = link;
      const events = bodies.map((body): LogEvent => {
        sequence += 1;
        hash = linkOfText(hash, sequence, body.text);
        return numbered(body, sequence, hash);
      });
      return {
        events,
        write() {
          const growth = growthOf(run, id, head);
          for (const [at, { text }] of bodies.entries()) {
            if (growth.size > 0 && growth.size + text.length > LARGEST) flush(growth);
            growth.texts.push(text);
            growth.hashes.push(events[at]?.hash ?? "");
            growth.size += text.length;
            growth.head = head + at + 1;
          }
          growth.link = hash;
          const recent = known.get(run)?.recent;
          if (recent !== undefined) remember(recent, events, bodies);
          known.set(run, { id: growth.id, head: sequence, link: hash, ...(recent && { recent }) });
        },
      };
    },
    flush: flushRun,
    forget() {
      placed = undefined;
      grown = new Map();
      forgetHeads();
    },
    finish() {
      const heads = new Map<string, number>();
      for (const [run, growth] of grown) {
        write(growth);
        advance.run(growth.head, growth.link, growth.id);
        heads.set(run, growth.head);
        const recent = known.get(run)?.recent;
        if (recent !== undefined)
          recent.splice(0, recent.length - Math.max(FEW, growth.head - growth.from));
      }
      grown = new Map();
      const last = reads.last();
      placed ??= indexed.get() ?? 0;
      if (last - placed >= UNPLACED) {
        place.run(placed);
        mark.run(last);
        placed = undefined;
      }
      if (known.size > KNOWN) forgetHeads();
      return { grown: heads, last };
    },
  };
}

function remember(recent: LogEvent[], events: readonly LogEvent[], bodies: readonly Body[]): void {
  if (bodies.some(({ text }) => text.length > SHORT)) {
    recent.length = 0;
    return;
  }
  for (const event of events) recent.push(event);
}
