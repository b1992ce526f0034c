import type { LogEvent } from "@bylaw/kernel";
import { usageError } from "../io/report-error.ts";
import { CSV_HEAD, csvRecord } from "../log/csv.ts";
import { eventText, headText } from "../log/event-text.ts";
import { createEventReader } from "../log/read-events.ts";
import { eventFilter, type FilterOptions } from "../log/event-filter.ts";
import { createTypeCheck } from "../log/type-check.ts";
import { logLines, sourceOf, type SourceOptions } from "../log/log-source.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { paintFor } from "../io/text.ts";

/** How the events of a query are printed. */
type QueryFormat = "table" | "json" | "csv";

/** The options of `bylaw log query`. */
export interface QueryOptions extends SourceOptions, FilterOptions {
  readonly limit?: number;
  readonly format?: QueryFormat;
  readonly json?: boolean;
}

/** Prints the events that are asked for, in their order, in constant memory. The exit code is 1 where a line is no event. */
export async function queryLog(files: readonly string[], options: QueryOptions): Promise<void> {
  const { limit = Infinity, json = false, format = json ? "json" : "table" } = options;
  if (json && format !== "json")
    throw usageError(`\`--json\` and \`--format ${format}\` cannot be given together`);
  const source = sourceOf(files, options);
  const wanted = eventFilter(options, Date.now());
  const reader = createEventReader();
  const types = createTypeCheck(options.type ?? []);
  const { head, row } = printer(format);
  let left = limit;
  // Only above an answer: a log that cannot be read has none.
  let above = head;
  for await (const lines of logLines(source)) {
    const events = reader.read(lines);
    types.saw(events);
    const found = events.filter(wanted).slice(0, left);
    left -= found.length;
    if (found.length > 0) {
      await write(above + found.map(row).join(""));
      above = "";
    }
    if (left === 0) break;
  }
  if (above !== "") await write(above);
  reader.report();
  types.report();
  conclude(reader.bad > 0 ? 1 : 0);
}

interface Printer {
  readonly head: string;
  readonly row: (event: LogEvent) => string;
}

function printer(format: QueryFormat): Printer {
  if (format === "json") return { head: "", row: jsonLine };
  if (format === "csv") return { head: CSV_HEAD, row: csvRecord };
  const paint = paintFor(process.stdout);
  const width = process.stdout.isTTY ? process.stdout.columns : undefined;
  return { head: `${headText(paint)}\n`, row: (event) => `${eventText(event, paint, width)}\n` };
}
