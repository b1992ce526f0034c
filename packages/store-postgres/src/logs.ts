import type { LogEvent } from "@bylaw/kernel";
import { NO_LINK, linkOfText, placeEvent, type EventBody } from "@bylaw/log";
import type { Query } from "./database.ts";
import { PREFIX, digitsOf, readEvents, segmentsOf } from "./events.ts";
import { lastKnown, type PendingCommit } from "./pending-commit.ts";

/** The most unseen events that are read while a run is locked. A writer that is further behind reads the rest in the next batch. */
const PAGE = 5_000;

/** The end of a log, with the events after a sequence as far as they were read. */
export interface LogEnd {
  readonly sequence: number;
  /** `sha256:…` */
  readonly link: string;
  readonly after: number;
  readonly events: readonly LogEvent[];
}

/** The ends of logs by the keys of their runs. */
export type Ends = Pick<ReadonlyMap<string, LogEnd>, "get">;

const EMPTY: LogEnd = { sequence: 0, link: NO_LINK, after: 0, events: [] };

interface Growth {
  readonly end: LogEnd;
  sequence: number;
  link: string;
  readonly bodies: EventBody[];
  readonly events: LogEvent[];
}

type Reader = Pick<PendingCommit, "run" | "commit" | "known">;

/** Locks the runs of these commits until the transaction ends, and reads what their writers have not seen. */
export async function lockLogs(query: Query, commits: readonly Reader[]): Promise<LogWrites> {
  const byRun = [...Map.groupBy(commits, ({ run }) => run)];
  const [rows, ...pages] = await Promise.all([
    query<{ readonly run: string; readonly sequence: number; readonly link: string }>(
      `select run, sequence, '${PREFIX}' || encode(link, 'hex') as link from {schema}.runs
        where run = any ($1) order by run for update`,
      [byRun.map(([run]) => run)],
    ),
    ...byRun.map(async ([run, all]) => {
      const asked = all.filter(({ commit }) => commit.admit !== undefined);
      const after = Math.min(...asked.map(lastKnown));
      const events = asked[0] && (await readEvents(query, asked[0].commit.run, after, PAGE));
      return [run, { after, events: events ?? [] }] as const;
    }),
  ]);
  const unseen = new Map(pages);
  return new LogWrites(
    new Map(rows.map((row) => [row.run, { ...EMPTY, ...row, ...unseen.get(row.run) }])),
  );
}

/** What a batch adds to logs whose ends are known. */
export class LogWrites {
  readonly #ends: Ends;
  readonly #grown = new Map<string, Growth>();

  constructor(ends: Ends) {
    this.#ends = ends;
  }

  /** The ends of the logs that have grown, once the batch is written. */
  ends(): readonly (readonly [run: string, end: LogEnd])[] {
    return [...this.#grown].map(([run, { end, sequence, link, events }]) => [
      run,
      { sequence, link, after: end.sequence, events },
    ]);
  }

  /** The sequence of the last event of a run, once the batch is written. */
  head(run: string): number {
    return this.#growth(run).sequence;
  }

  /** The events that the writer of a commit has not seen. `undefined` if not all of them were read. */
  unseen(pending: Reader): readonly LogEvent[] | undefined {
    const { end, events: added } = this.#growth(pending.run);
    const last = lastKnown(pending);
    if (last >= end.sequence) return [...pending.known, ...added.slice(last - end.sequence)];
    if (last < end.after) return undefined;
    const read = [...pending.known, ...end.events.slice(last - end.after)];
    if (end.after + end.events.length >= end.sequence) return [...read, ...added];
    pending.known = read;
    return undefined;
  }

  /** Numbers and chains the events of a commit. */
  append({ run, bodies }: Pick<PendingCommit, "run" | "bodies">): readonly LogEvent[] {
    const growth = this.#growth(run);
    this.#grown.set(run, growth);
    return bodies.map((body) => {
      growth.sequence += 1;
      growth.link = linkOfText(growth.link, growth.sequence, body.text);
      const event = placeEvent(body.draft, growth.sequence, growth.link);
      growth.bodies.push(body);
      growth.events.push(event);
      return event;
    });
  }

  /** Sends the statement that writes the new events. It fails with BY004, and writes nothing, if a log does not end as expected. */
  send(query: Query, batch: string, lock_timeout_ms: number): Promise<unknown> {
    if (this.#grown.size === 0) return Promise.resolve();
    // All writers lock runs in this order, by bytes, so no two writers wait for each other.
    const runs = [...this.#grown].sort(([one], [other]) =>
      Buffer.compare(Buffer.from(one), Buffer.from(other)),
    );
    const segments = runs.flatMap(segmentRows);
    return query(
      "select {schema}.append_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
      [
        lock_timeout_ms,
        batch,
        runs.map(([run]) => run),
        runs.map(([, { end }]) => end.sequence),
        runs.map(([, { end }]) => bytes(digitsOf(end.link))),
        runs.map(([, { sequence }]) => sequence),
        runs.map(([, { link }]) => bytes(digitsOf(link))),
        segments.map(({ run }) => run),
        segments.map(({ last }) => last),
        segments.map(({ length }) => length),
        segments.map(({ text }) => text),
        segments.map(({ links }) => bytes(links)),
      ],
    );
  }

  #growth(run: string): Growth {
    const grown = this.#grown.get(run);
    if (grown !== undefined) return grown;
    const end = this.#ends.get(run) ?? EMPTY;
    return { end, sequence: end.sequence, link: end.link, bodies: [], events: [] };
  }
}

function segmentRows([run, { end, bodies, events }]: readonly [string, Growth]) {
  let at = 0;
  return segmentsOf(bodies).map(({ length, text }) => {
    const own = events.slice(at, at + length);
    at += length;
    const links = own.map(({ hash = "" }) => digitsOf(hash)).join("");
    return { run, last: end.sequence + at, length, text, links };
  });
}

const bytes = (digits: string): string => `\\x${digits}`;
