import { Option, type Command } from "commander";
import { LOG_EXAMPLES } from "./program-log-help.ts";
import { numberOf, pathOf, valueOf, valuesOf, wordOf } from "./usage.ts";

/** The commands about the log of a run, wired under `bylaw log`. */
export function addLogCommands(program: Command): Command {
  const log = program.command("log").description("Look at the log of a run, and move it.").addHelpText("after", LOG_EXAMPLES.log);

  reading(log.command("verify"), "<file...>", LOG_EXAMPLES.verify)
    .description("Say what is wrong with a log: its form, its order, its chain, and what could not have happened.")
    .addOption(word("--profile <profile>", "what it is held against", ["envelope", "coordinator"]).default("envelope"))
    .addOption(word("--catalogue <mode>", "what unknown types and details are", ["lenient", "strict"]).default("lenient"))
    .option("--chained", "every event has to have a hash")
    .option("--heads <file>", "the signed heads of the log, to see whether its end was cut off", pathOf("--heads <file>"))
    .option("--key <file>", "the public key of the heads, in PEM", pathOf("--key <file>"))
    .action(async (files: readonly string[], options) => {
      const { verifyLog } = await import("./commands/log-verify.ts");
      await verifyLog(files, options);
    });
  reading(log.command("tail"), "<file>", LOG_EXAMPLES.tail)
    .description("Print the last events of a log, and those that come.")
    .option("-f, --follow", "wait for more, over rotations, until it is interrupted")
    .addOption(
      new Option("-n, --lines <number>", "how many of those that are there").argParser(numberOf("--lines <number>", 0)).default(10),
    )
    .action(async (file: string | undefined, options) => {
      const { tailLog } = await import("./commands/log-tail.ts");
      await tailLog(file, options);
    });
  const values = (flags: string): ((text: string, before?: readonly string[]) => readonly string[]) => valuesOf(flags);
  reading(log.command("query"), "<file...>", LOG_EXAMPLES.query)
    .description("Print the events of a log that are asked for. A value may end in * and then stands for all that begin so.")
    .option("--session <id>", "of this session; may be repeated, as may the next four", values("--session <id>"))
    .option("--agent <id>", "about this agent", values("--agent <id>"))
    .option("--task <id>", "about this task", values("--task <id>"))
    .option("--type <type>", "of this type", values("--type <type>"))
    .option("--reason <code>", "decided by this code, or for this reason", values("--reason <code>"))
    .option("--since <time>", "not before: a time, or a span before now such as 2h", valueOf("--since <time>"))
    .option("--until <time>", "before: a time, or a span before now", valueOf("--until <time>"))
    .option("--limit <number>", "at most so many, the first ones", numberOf("--limit <number>", 1))
    .addOption(word("--format <format>", "how they are printed (default: table)", ["table", "json", "csv"]))
    .action(async (files: readonly string[], options) => {
      const { queryLog } = await import("./commands/log-query.ts");
      await queryLog(files, options);
    });
  reading(log.command("stats"), "<file...>", LOG_EXAMPLES.stats)
    .description("Count the events of a log by type, agent, decision and rule, and list its sessions.")
    .action(async (files: readonly string[], options) => {
      const { logStats } = await import("./commands/log-stats.ts");
      await logStats(files, options);
    });
  log
    .command("runs")
    .description("List the runs of a store, the one that grew last at the end.")
    .requiredOption(STORE, STORE_TEXT, valueOf(STORE))
    .option("--json", "print JSON, one run per line")
    .addHelpText("after", LOG_EXAMPLES.runs)
    .action(async (options) => {
      const { listRuns } = await import("./commands/log-runs.ts");
      await listRuns(options);
    });
  stored(log.command("export"), LOG_EXAMPLES.export)
    .description("Write a run of a store as a log, one event per line.")
    .option("--to <file>", "write it there, never over a file (default: the standard output)", pathOf("--to <file>"))
    .action(async (options) => {
      const { exportLog } = await import("./commands/log-export.ts");
      await exportLog(options);
    });
  stored(log.command("import"), LOG_EXAMPLES.import)
    .description("Bring a log into a store, as it is. Writes nothing unless all of it verifies, and goes on where it was cut off.")
    .argument("<file...>", "the log, its files in their order; - reads the standard input")
    .action(async (files: readonly string[], options) => {
      const { importLog } = await import("./commands/log-import.ts");
      await importLog(files, options);
    });
  return log;
}

const STORE = "--store <url>";
const RUN = "--run <run>";
const STORE_TEXT = "sqlite:PATH, a path that ends in .db or .sqlite, or postgres://…";

// A log is in files, or in a store: which of both is seen when the command runs.
function reading(command: Command, files: string, help: string): Command {
  const optional = files.replace("<", "[").replace(">", "]");
  return command
    .argument(
      optional,
      `one event per line as JSON${files === "<file...>" ? ", rotated files in their order" : ""}; - reads the standard input`,
    )
    .option(STORE, `read a store instead: ${STORE_TEXT}`, valueOf(STORE))
    .option(RUN, "the run of the store", valueOf(RUN))
    .option("--json", "print JSON")
    .addHelpText("after", help);
}

function stored(command: Command, help: string): Command {
  return command
    .requiredOption(STORE, STORE_TEXT, valueOf(STORE))
    .requiredOption(RUN, "the run of the store", valueOf(RUN))
    .option("--json", "print JSON")
    .addHelpText("after", help);
}

function word(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words).argParser(wordOf(flags, words));
}
