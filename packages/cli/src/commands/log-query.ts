import type { LogEvent } from "@bylaw/kernel";
import { usageError } from "../io/report-error.ts";
import { csvHead, csvRecord } from "../log/csv.ts";
import { eventText, headText } from "../log/event-text.ts";
import { createEventReader } from "../log/read-events.ts";
import { eventFilter } from "../log/event-filter.ts";
import { createTypeCheck } from "../log/type-check.ts";
import { checkFiles, logLines } from "../log/log-source.ts";
import { runsIn } from "../log/project-store.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { paintFor } from "../io/text.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION, STORE_OPTION } from "../command-line/shared-options.ts";

const OPTIONS = [
  STORE_OPTION,
  ["--run <run>", "the run in the store (default: all of them)"],
  JSON_OPTION,
  ["--session <id>", "in this session; may be repeated, as may the next four", { many: true }],
  ["--agent <id>", "about this agent", { many: true }],
  ["--task <id>", "about this task", { many: true }],
  ["--type <type>", "of this type", { many: true }],
  ["--reason <code>", "with this decision code or reason", { many: true }],
  ["--since <time>", "not before this time, this span before now such as 2h, today or yesterday"],
  ["--until <time>", "before this time, or this span before now"],
  ["--limit <number>", "at most this many, from the start", { least: 1 }],
  ["--format <format>", "the output format (default: table)", { words: ["table", "json", "csv"] }],
] as const satisfies readonly OptionSpec[];
type QueryOptions = OptionsOf<typeof OPTIONS>;

export const command: CommandSpec = {
  arguments: {
    file: ["events, one JSON object per line, rotated files in order; - reads standard input"],
  },
  options: OPTIONS,
  help: `
Exit code: 0 printed, 1 printed but some lines are not events, 2 usage error or a log that cannot be read.

Examples:
  $ bylaw log query events.jsonl --agent dev-1 --type 'tool_*' --since 2026-01-17T09:00:00Z
  $ bylaw log query events.jsonl --reason rule_denied --limit 10 --json
  $ bylaw log query --since yesterday --type 'tool_*'
  $ bylaw log query --store runs.db --run main --format csv`,
  run: queryLog,
};

/** Prints the events that match, in order and in constant memory. The exit code is 1 if a line is not an event. */
async function queryLog(files: readonly string[], options: QueryOptions): Promise<void> {
  const { limit = Infinity, json = false, format = json ? "json" : "table" } = options;
  if (json && format !== "json")
    throw usageError(`\`--json\` and \`--format ${format}\` cannot be given together`);
  checkFiles(files, options);
  const sources = files.length > 0 ? [{ files }] : await runsIn(options);
  const wanted = eventFilter(options, Date.now());
  const reader = createEventReader();
  const types = createTypeCheck(options.type ?? []);
  const several = sources.length > 1;
  const { head, row } = printer(format, several);
  let left = limit;
  // Printed only once the log can be read, so that an error has no table head above it.
  let above = head;
  for (const source of sources) {
    const run = several && "run" in source ? source.run : undefined;
    for await (const lines of logLines(source)) {
      const events = reader.read(lines);
      types.saw(events);
      const found = events.filter(wanted).slice(0, left);
      left -= found.length;
      if (found.length > 0) {
        await write(above + found.map((event) => row(event, run)).join(""));
        above = "";
      }
      if (left === 0) break;
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
  /** Formats an event. `run` is set if the events are of several runs. */
  readonly row: (event: LogEvent, run: string | undefined) => string;
}

function printer(format: NonNullable<QueryOptions["format"]>, several: boolean): Printer {
  if (format === "json")
    return {
      head: "",
      row: (event, run) => jsonLine(run === undefined ? event : { run, ...event }),
    };
  if (format === "csv") return { head: csvHead(several), row: csvRecord };
  const paint = paintFor(process.stdout);
  const width = process.stdout.isTTY ? process.stdout.columns : undefined;
  return {
    head: `${headText(paint, several)}\n`,
    row: (event, run) => `${eventText(event, paint, { width, run })}\n`,
  };
}
