import { TIME_AT_END, timeAtEnd, type RunSummary } from "@bylaw/log";
import type { Statement } from "better-sqlite3";
import type { Connection } from "./engine.ts";

type Ask = Statement<[number, number], string>;

// Reads only the start of a run's first line, and its last line, because a segment can be large.
const BEGINS = "substr(substr(bodies, 1, instr(bodies || char(10), char(10)) - 1), ?)";
const ENDS = "substr(bodies, ?)";

/** Lists the runs of a file, each with the times of its first and last event. */
export class RunSummaries {
  readonly #db: Connection;
  readonly #list;
  readonly #first: readonly Ask[];
  readonly #last: readonly Ask[];

  constructor(db: Connection) {
    this.#db = db;
    this.#list = db.prepare<
      [],
      { readonly run: string; readonly id: number; readonly head: number }
    >("select name as run, id, head from runs where head > 0 order by name");
    const placed = (what: string, order: string): Ask =>
      db.prepare<[number, number], string>(
        `select ${what} from segments join places on segments.id = event where places.run = ? order by places.sequence ${order} limit 1`,
      );
    const rest = (what: string, order: string): Ask =>
      db.prepare<[number, number], string>(
        `select ${what} from segments where id > (select last from indexed) and run = ? order by id ${order} limit 1`,
      );
    this.#first = [placed(BEGINS, "asc"), rest(BEGINS, "asc")];
    this.#last = [rest(ENDS, "desc"), placed(ENDS, "desc")];
  }

  /** Reads all runs in one transaction, because events that are moved to the index in between are otherwise found nowhere. */
  all(): readonly RunSummary[] {
    const read = this.#db.transaction(() =>
      this.#list.all().map(({ run, id, head }): RunSummary => {
        return { run, head, first: timeOf(this.#first, id), last: timeOf(this.#last, id) };
      }),
    );
    return read();
  }
}

function timeOf(asks: readonly Ask[], run: number): string {
  for (const ask of asks) {
    const text = ask.pluck().get(-TIME_AT_END, run);
    if (text !== undefined) return timeAtEnd(text);
  }
  return timeAtEnd("");
}
