import type { LogEvent } from "@bylaw/kernel";
import { NO_LINK, linkOfText, placeEvent, type EventBody } from "@bylaw/log";
import type { Connection } from "./engine.ts";
import type { Reads } from "./reads.ts";
import type { RunRow } from "./rows.ts";

type Head = Omit<RunRow, "id"> & {
  readonly id?: number;
  /** The last events, in order up to the head. Left out until `after` asks for some. */
  readonly recent?: LogEvent[];
};

/** What a transaction adds to one run. It is written as one row, because a row costs more than its content. */
interface Growth {
  readonly id: number;
  /** The head before this transaction. */
  readonly from: number;
  readonly texts: string[];
  readonly hashes: string[];
  size: number;
  head: number;
  link: string;
}

/** Once this many segments are not in the index `places`, they are added to it together. Until then, they are found by a scan. */
const UNPLACED = 256;
/** The most heads that are kept in memory. */
const KNOWN = 10_000;
/**
 * The most runs whose last events are kept in memory. For each run only the events of its last transaction are kept, but at least FEW. A
 * writer has usually seen all earlier ones, and events that are kept longer make garbage collection slow.
 */
const REMEMBERED = 64;
const SHORT = 4_000;
const FEW = 32;
/** The most characters in a segment of several events, because reading one event reads its whole segment. */
const LARGEST = 16_000;

/** The event logs of all runs in a file, inside one transaction. */
export class Logs {
  readonly #reads: Reads;
  readonly #find;
  readonly #create;
  readonly #insert;
  readonly #advance;
  readonly #indexed;
  readonly #place;
  readonly #mark;
  readonly #known = new Map<string, Head>();
  #grown = new Map<string, Growth>();
  // The number of runs whose last events are kept in memory.
  #remembered = 0;
  // The id of the last segment in the index `places`, as this connection last read it.
  #placed: number | undefined;

  constructor(db: Connection, reads: Reads) {
    this.#reads = reads;
    this.#find = db.prepare<[string], RunRow>("select id, head, link from runs where name = ?");
    this.#create = db
      .prepare<[string, string], number>(
        "insert into runs (name, head, link) values (?, 0, ?) returning id",
      )
      .pluck();
    this.#insert = db.prepare<[number, number, number, string, string]>(
      "insert into segments (run, last, length, bodies, hashes) values (?, ?, ?, ?, ?)",
    );
    this.#advance = db.prepare<[number, string, number]>(
      "update runs set head = ?, link = ? where id = ?",
    );
    this.#indexed = db.prepare<[], number>("select last from indexed").pluck();
    this.#place = db.prepare<[number]>(
      "insert into places (run, sequence, event) select run, last, id from segments where id > ? order by run, last",
    );
    this.#mark = db.prepare<[number]>("update indexed set last = ?");
  }

  /** All events of a run after a sequence, including those this transaction adds. */
  after(run: string, sequence: number): readonly LogEvent[] {
    const { head, recent, ...rest } = this.#headOf(run);
    if (sequence >= head) return [];
    if (recent !== undefined && sequence >= head - recent.length)
      return recent.slice(recent.length - (head - sequence));
    if (recent === undefined) {
      this.#remembered += 1;
      if (this.#remembered > REMEMBERED) this.#forgetHeads();
      this.#known.set(run, { head, ...rest, recent: [] });
    }
    this.flush(run);
    return this.#reads.events(run, sequence, Infinity);
  }

  /** Numbers and chains new events. Nothing else may be appended to the run before `write` is called. */
  prepare(run: string, bodies: readonly EventBody[]) {
    const head = this.#headOf(run);
    let sequence = head.head;
    let { link } = head;
    const events = bodies.map((body): LogEvent => {
      sequence += 1;
      link = linkOfText(link, sequence, body.text);
      return placeEvent(body.draft, sequence, link);
    });
    return { events, write: () => this.#append(run, head, events, bodies) };
  }

  /** Writes the pending events of a run, so that they can be read. */
  flush(run: string): void {
    const growth = this.#grown.get(run);
    if (growth !== undefined) this.#flush(growth);
  }

  /** Forgets all heads. Call it when another connection has written or a transaction was rolled back. */
  forget(): void {
    this.#placed = undefined;
    this.#grown = new Map();
    this.#forgetHeads();
  }

  /** Writes the new heads of all runs that have grown. Returns them with the id of the file's last segment. */
  finish(): { readonly grown: ReadonlyMap<string, number>; readonly last: number } {
    const grown = new Map<string, number>();
    for (const [run, growth] of this.#grown) {
      this.#write(growth);
      this.#advance.run(growth.head, growth.link, growth.id);
      grown.set(run, growth.head);
      const recent = this.#known.get(run)?.recent;
      if (recent !== undefined)
        recent.splice(0, recent.length - Math.max(FEW, growth.head - growth.from));
    }
    this.#grown = new Map();
    const last = this.#reads.last();
    this.#placed ??= this.#indexed.get() ?? 0;
    if (last - this.#placed >= UNPLACED) {
      this.#place.run(this.#placed);
      this.#mark.run(last);
      this.#placed = undefined;
    }
    if (this.#known.size > KNOWN) this.#forgetHeads();
    return { grown, last };
  }

  #headOf(run: string): Head {
    return this.#known.get(run) ?? this.#find.get(run) ?? { head: 0, link: NO_LINK };
  }

  #append(
    run: string,
    { id, head }: Head,
    events: readonly LogEvent[],
    bodies: readonly EventBody[],
  ): void {
    const growth = this.#growthOf(run, id, head);
    for (const [at, { text }] of bodies.entries()) {
      if (growth.size > 0 && growth.size + text.length > LARGEST) this.#flush(growth);
      growth.texts.push(text);
      growth.link = events[at]?.hash ?? "";
      growth.hashes.push(growth.link);
      growth.size += text.length;
      growth.head = head + at + 1;
    }
    const recent = this.#known.get(run)?.recent;
    if (recent !== undefined) remember(recent, events, bodies);
    const { link } = growth;
    this.#known.set(run, { id: growth.id, head: growth.head, link, ...(recent && { recent }) });
  }

  #growthOf(run: string, id: number | undefined, head: number): Growth {
    const before = this.#grown.get(run);
    if (before !== undefined) {
      if (before.head === head) return before;
      throw new Error(
        `Run \`${run}\` has head ${head}, but this transaction has reached ${before.head}`,
      );
    }
    const known = id ?? (this.#create.get(run, NO_LINK) as number);
    const growth = { id: known, from: head, texts: [], hashes: [], size: 0, head, link: NO_LINK };
    this.#grown.set(run, growth);
    return growth;
  }

  #write({ id, texts, hashes, head }: Growth): void {
    if (texts.length > 0)
      this.#insert.run(id, head, texts.length, texts.join("\n"), hashes.join("\n"));
  }

  #flush(growth: Growth): void {
    this.#write(growth);
    growth.texts.length = 0;
    growth.hashes.length = 0;
    growth.size = 0;
  }

  // Keeps only the heads of runs that this transaction has changed, because the file has the others.
  #forgetHeads(): void {
    for (const [run, { recent: _, ...head }] of this.#known) {
      if (this.#grown.has(run)) this.#known.set(run, head);
      else this.#known.delete(run);
    }
    this.#remembered = 0;
  }
}

function remember(
  recent: LogEvent[],
  events: readonly LogEvent[],
  bodies: readonly EventBody[],
): void {
  if (bodies.some(({ text }) => text.length > SHORT)) {
    recent.length = 0;
    return;
  }
  for (const event of events) recent.push(event);
}
