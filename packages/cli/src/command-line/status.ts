import type { Command } from "commander";
import { STORE_TEXT, choice, numberOf, pathsOf, valueOf } from "./options.ts";

/** `bylaw status` and `bylaw report` */
export function addStatusCommands(program: Command): void {
  from(program.command("status"), "the run in the store")
    .description("Show the status of a run, agent by agent and round by round")
    .option(
      "--log <file...>",
      "the log, rotated files in order; - reads standard input",
      pathsOf("--log <file...>"),
    )
    .option(
      "--keep <number>",
      "how many violations to list for each agent, the last ones (default: all)",
      numberOf("--keep <number>", 0),
    )
    .option("--json", "print status.json")
    .addHelpText("after", STATUS_HELP)
    .action(async (options) => {
      const { showStatus } = await import("../commands/status.ts");
      await showStatus(options);
    });
  from(program.command("report"), "the run in the store (default: all of them)")
    .description("Report how often rules were enforced in runs, why, and at what cost")
    .argument(
      "[file...]",
      "logs, one for each run; a rotated file continues the one before it; - reads standard input",
    )
    .addOption(choice("--format <format>", "the output format (default: text)", FORMATS))
    .option("--json", "print JSON")
    .addHelpText("after", REPORT_HELP)
    .action(async (files: readonly string[], options) => {
      const { report } = await import("../commands/report.ts");
      await report(files, options);
    });
}

const FORMATS = ["text", "markdown", "json", "html"];
const STORE = "--store <url>";
const RUN = "--run <run>";

const from = (command: Command, run: string): Command =>
  command
    .option(STORE, `read a store instead: ${STORE_TEXT}`, valueOf(STORE))
    .option(RUN, run, valueOf(RUN));

const STATUS_HELP = `
Exit code: 0 printed, 1 printed but some lines are not events, 2 usage error or a log that cannot be read.

Examples:
  $ bylaw status --log events.jsonl
  $ bylaw status --log events.jsonl --json > status.json`;

const REPORT_HELP = `
Exit code: 0 printed, 1 printed but some lines are not events, 2 usage error or a log that cannot be read.

Examples:
  $ bylaw report events.jsonl
  $ bylaw report events.jsonl --format markdown
  $ bylaw report events.jsonl --format html > report.html`;
