import { Option, type Command } from "commander";
import { numberOf, pathsOf, valueOf, wordOf } from "./usage.ts";

/** The commands about what became of a run: `bylaw status` and `bylaw report`. */
export function addStatusCommands(program: Command): void {
  from(program.command("status"), "the run of the store")
    .description("Say where a run stands, agent by agent and round by round, from its log.")
    .option("--log <file...>", "the log, rotated files in their order; - reads the standard input", pathsOf("--log <file...>"))
    .option("--keep <number>", "list so many violations of each agent, the last ones (default: all)", numberOf("--keep <number>", 0))
    .option("--json", "print the text of status.json")
    .addHelpText("after", STATUS_HELP)
    .action(async (options) => {
      const { showStatus } = await import("./commands/status.ts");
      await showStatus(options);
    });
  from(program.command("report"), "the run of the store (default: all of them)")
    .description("Say what the logs of runs tell about enforcement: how often, why, at what cost.")
    .argument("[file...]", "logs, one for each run; a rotated file goes on with the one before it; - reads the standard input")
    .addOption(
      new Option("--format <format>", "how it is printed (default: text)").choices(FORMATS).argParser(wordOf("--format <format>", FORMATS)),
    )
    .option("--json", "print JSON")
    .addHelpText("after", REPORT_HELP)
    .action(async (files: readonly string[], options) => {
      const { report } = await import("./commands/report.ts");
      await report(files, options);
    });
}

const FORMATS = ["text", "markdown", "json", "html"];
const STORE = "--store <url>";
const RUN = "--run <run>";

const from = (command: Command, run: string): Command =>
  command
    .option(STORE, "read a store instead: sqlite:PATH, a path that ends in .db or .sqlite, or postgres://…", valueOf(STORE))
    .option(RUN, run, valueOf(RUN));

const STATUS_HELP = `
Exit code: 0 printed, 1 printed, but some line is no event, 2 usage error or a log that cannot be read.

Examples:
  $ bylaw status --log events.jsonl
  $ bylaw status --log events.jsonl --json > status.json`;

const REPORT_HELP = `
Exit code: 0 printed, 1 printed, but some line is no event, 2 usage error or a log that cannot be read.

Examples:
  $ bylaw report events.jsonl
  $ bylaw report events.jsonl --format markdown
  $ bylaw report events.jsonl --format html > report.html`;
