import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { createEventReader } from "../log/read-events.ts";
import { conclude } from "../io/exit-code.ts";
import { fileOf } from "../io/own-packages.ts";
import { jsonLine, write } from "../io/output.ts";
import { ReportCollector, type Report } from "../report/collect.ts";
import { htmlOf } from "../report/html.ts";
import { markdownOf } from "../report/markdown.ts";
import { readRuns } from "../report/read-runs.ts";
import { tableText } from "../report/table-text.ts";
import { tablesOf } from "../report/tables.ts";
import { paintFor } from "../io/text.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import {
  JSON_OPTION,
  LOGS_ARGUMENT,
  RUNS_OPTION,
  STORE_OPTION,
} from "../command-line/shared-options.ts";

const OPTIONS = [
  STORE_OPTION,
  RUNS_OPTION,
  [
    "--format <format>",
    "the output format (default: text)",
    { words: ["text", "markdown", "json", "html"] },
  ],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];
type ReportOptions = OptionsOf<typeof OPTIONS>;

export const command: CommandSpec = {
  arguments: LOGS_ARGUMENT,
  options: OPTIONS,
  help: `
Exit code: 0 printed, 1 printed but some lines are not events, 2 usage error or a log that cannot be read.

Examples:
  $ bylaw report
  $ bylaw report events.jsonl
  $ bylaw report events.jsonl --format markdown
  $ bylaw report events.jsonl --format html > report.html`,
  run: report,
};

/**
 * Prints what was decided, asked and enforced in the logs of runs. Each file is a run of its own, unless it begins with an anchor: then it
 * continues the file before it. The exit code is 1 if a line is not an event.
 */
async function report(
  files: readonly string[],
  { format, json = false, ...from }: ReportOptions,
): Promise<void> {
  const collector = new ReportCollector();
  const reader = createEventReader();
  await readRuns(files, from, { into: collector, reader });
  await write(rendered(collector.result(), format ?? (json ? "json" : "text"), reader.bad));
  reader.report();
  conclude(reader.bad > 0 ? 1 : 0);
}

function rendered(
  found: Report,
  format: NonNullable<ReportOptions["format"]>,
  bad_lines: number,
): string {
  if (format === "json") return jsonLine({ ...found, bad_lines });
  const tables = tablesOf(found);
  if (format === "markdown") return markdownOf(tables);
  if (format === "html") return htmlOf(found, tables, chartLibrary());
  const paint = paintFor(process.stdout);
  return tables.map((table) => tableText(table, paint)).join("\n");
}

const chartLibrary = (): string =>
  gunzipSync(readFileSync(fileOf("@bylaw/dashboard", "dist/page/chart.js.gz"))).toString();
