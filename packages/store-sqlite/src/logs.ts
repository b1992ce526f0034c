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

/** The logs of a file, inside of a transaction. */
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
  // How many runs have events that are remembered.
  #remembered = 0;
  // Up to where segments are placed, as this connection last saw it.
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

  /** All events of a run after a sequence, those included that this transaction has written. */
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

  /** Numbers and chains what follows the log. Nothing else may be appended to the run before it is written. */
  prepare(run: string, bodies: readonly Body[]): Appendix {
    const head = this.#headOf(run);
    let sequence = head.head;
    let { link } = head;
    const events = bodies.map((body): LogEvent => {
      sequence += 1;
      link = linkOfText(link, sequence, body.text);
      return numbered(body, sequence, link);
    });
    return { events, write: () => this.#append(run, head, events, bodies) };
  }

  /** Writes what this transaction has for a run, so that it can be read. */
  flush(run: string): void {
    const growth = this.#grown.get(run);
    if (growth !== undefined) this.#flush(growth);
  }

  /** Forgets what it knows of heads: another connection has written, or a transaction was undone. */
  forget(): void {
    this.#placed = undefined;
    this.#grown = new Map();
    this.#forgetHeads();
  }

  /** Writes how far the runs of this transaction have grown; returns that, and the id of the last segment of all. */
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
    bodies: readonly Body[],
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

  // The file says where a run stands, but for what this transaction has for it.
  #forgetHeads(): void {
    for (const [run, { recent: _, ...head }] of this.#known) {
      if (this.#grown.has(run)) this.#known.set(run, head);
      else this.#known.delete(run);
    }
    this.#remembered = 0;
  }
}

function remember(recent: LogEvent[], events: readonly LogEvent[], bodies: readonly Body[]): void {
  if (bodies.some(({ text }) => text.length > SHORT)) {
    recent.length = 0;
    return;
  }
  for (const event of events) recent.push(event);
}
