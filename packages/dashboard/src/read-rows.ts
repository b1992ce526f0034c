import type { LogEvent } from "@bylaw/kernel";
import { matches, rowOf, type Row, type RowFilter } from "./rows.ts";

/** Reads events of a run, as a store does. */
export interface EventSource {
  events(run: string, after: number, limit: number): Promise<readonly LogEvent[]>;
}

/** A page of rows, the newest first. */
export interface RowPage {
  readonly rows: readonly Row[];
  /** The sequence below which to go on. Left out when the beginning of the log was reached. */
  readonly next?: number;
}

interface RowRequest {
  readonly run: string;
  readonly filter: RowFilter;
  /** Rows below this sequence. */
  readonly below: number;
  readonly limit: number;
  /** The phase of a task at an event; `null` if it is not known. */
  readonly phaseAt: (task: string | null, sequence: number) => string | null;
}

/** How many events are read at once, and how many at most for one page: a rare match must not make a request endless. */
const READ = 500;
const MAX_EVENTS = 20_000;

/** Reads a page of rows from the end of the log towards its beginning. It reads at most 20,000 events, however many there are. */
export async function readRows(
  source: EventSource,
  { run, filter, below, limit, phaseAt }: RowRequest,
): Promise<RowPage> {
  const rows: Row[] = [];
  let end = below;
  while (end > 1 && below - end < MAX_EVENTS) {
    const after = Math.max(0, end - 1 - READ);
    const events = await source.events(run, after, end - 1 - after);
    for (const event of events.toReversed()) {
      const row = rowOf(event, phaseAt(event.task_id, event.sequence));
      if (!matches(row, filter)) continue;
      rows.push(row);
      if (rows.length === limit)
        return { rows, ...(row.sequence > 1 ? { next: row.sequence } : {}) };
    }
    end = after + 1;
  }
  return { rows, ...(end > 1 ? { next: end } : {}) };
}
