import { Option, type Command } from "commander";
import { LOG_EXAMPLES } from "./log-help.ts";
import { STORE_TEXT, choice, numberOf, pathOf, valueOf, valuesOf } from "./options.ts";

/** `bylaw log …` */
export function addLogCommands(program: Command): void {
  const log = program
    .command("log")
    .description("Verify, read and copy the log of a run")
    .addHelpText("after", LOG_EXAMPLES.log);

  reading(log.command("verify"), "<file...>", LOG_EXAMPLES.verify)
    .description("Verify a log: its format, order and hash chain, and that its events are possible")
    .addOption(
      choice("--profile <profile>", "the rules to check", ["envelope", "coordinator"]).default(
        "envelope",
      ),
    )
    .addOption(
      choice("--catalogue <mode>", "how to treat unknown types and details", [
        "lenient",
        "strict",
      ]).default("lenient"),
    )
    .option(
      "--config <file>",
      "a configuration whose plugins declare more event types",
      pathOf("--config <file>"),
    )
    .option("--chained", "require a hash on every event")
    .option(
      "--heads <file>",
      "the signed heads of the log, to see whether its end was cut off",
      pathOf("--heads <file>"),
    )
    .option("--key <file>", "the public key of the heads, in PEM", pathOf("--key <file>"))
    .action(async (files: readonly string[], options) => {
      const { verifyLog } = await import("../commands/log-verify.ts");
      await verifyLog(files, options);
    });
  reading(log.command("tail"), "<file>", LOG_EXAMPLES.tail)
    .description("Print the last events of a log, and follow it")
    .option("-f, --follow", "keep printing new events, across rotations, until interrupted")
    .addOption(
      new Option("-n, --lines <number>", "how many existing events to print")
        .argParser(numberOf("--lines <number>", 0))
        .default(10),
    )
    .action(async (file: string | undefined, options) => {
      const { tailLog } = await import("../commands/log-tail.ts");
      await tailLog(file, options);
    });
  reading(log.command("query"), "<file...>", LOG_EXAMPLES.query)
    .description(
      "Print the events of a log that match. A value that ends in * matches every name with that prefix.",
    )
    .option(
      "--session <id>",
      "in this session; may be repeated, as may the next four",
      valuesOf("--session <id>"),
    )
    .option("--agent <id>", "about this agent", valuesOf("--agent <id>"))
    .option("--task <id>", "about this task", valuesOf("--task <id>"))
    .option("--type <type>", "of this type", valuesOf("--type <type>"))
    .option("--reason <code>", "with this decision code or reason", valuesOf("--reason <code>"))
    .option(
      "--since <time>",
      "not before this time, or this span before now such as 2h",
      valueOf("--since <time>"),
    )
    .option(
      "--until <time>",
      "before this time, or this span before now",
      valueOf("--until <time>"),
    )
    .option(
      "--limit <number>",
      "at most this many, from the start",
      numberOf("--limit <number>", 1),
    )
    .addOption(
      choice("--format <format>", "the output format (default: table)", ["table", "json", "csv"]),
    )
    .action(async (files: readonly string[], options) => {
      const { queryLog } = await import("../commands/log-query.ts");
      await queryLog(files, options);
    });
  reading(log.command("stats"), "<file...>", LOG_EXAMPLES.stats)
    .description(
      "Count the events of a log by type, agent, decision and rule, and list its sessions",
    )
    .action(async (files: readonly string[], options) => {
      const { logStats } = await import("../commands/log-stats.ts");
      await logStats(files, options);
    });
  log
    .command("runs")
    .description("List the runs of a store, the most recent last")
    .requiredOption(STORE, STORE_TEXT, valueOf(STORE))
    .option("--json", "print JSON, one run per line")
    .addHelpText("after", LOG_EXAMPLES.runs)
    .action(async (options) => {
      const { listRuns } = await import("../commands/log-runs.ts");
      await listRuns(options);
    });
  stored(log.command("export"), LOG_EXAMPLES.export)
    .description("Export a run of a store as a log, one event per line")
    .option(
      "--to <file>",
      "the file to write, which must not exist (default: standard output)",
      pathOf("--to <file>"),
    )
    .action(async (options) => {
      const { exportLog } = await import("../commands/log-export.ts");
      await exportLog(options);
    });
  stored(log.command("import"), LOG_EXAMPLES.import)
    .description(
      "Import a log into a store unchanged. It must verify as a whole; an interrupted import continues.",
    )
    .argument("<file...>", "the files of the log in order; - reads standard input")
    .action(async (files: readonly string[], options) => {
      const { importLog } = await import("../commands/log-import.ts");
      await importLog(files, options);
    });
}

const STORE = "--store <url>";
const RUN = "--run <run>";

// A log is in files, or in a store: which of both is seen when the command runs.
function reading(command: Command, files: string, help: string): Command {
  const optional = files.replace("<", "[").replace(">", "]");
  return command
    .argument(
      optional,
      `events, one JSON object per line${files === "<file...>" ? ", rotated files in order" : ""}; - reads standard input`,
    )
    .option(STORE, `read a store instead: ${STORE_TEXT}`, valueOf(STORE))
    .option(RUN, "the run in the store", valueOf(RUN))
    .option("--json", "print JSON")
    .addHelpText("after", help);
}

function stored(command: Command, help: string): Command {
  return command
    .requiredOption(STORE, STORE_TEXT, valueOf(STORE))
    .requiredOption(RUN, "the run in the store", valueOf(RUN))
    .option("--json", "print JSON")
    .addHelpText("after", help);
}
