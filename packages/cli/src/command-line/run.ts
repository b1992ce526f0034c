import type { Command } from "commander";
import { usageError } from "../io/report-error.ts";
import { STORE_TEXT, choice, numberOf, pathOf, valueOf, valuesOf } from "./options.ts";
import { compatOption } from "./compat-option.ts";
import { DRIVERS, type RunOptions } from "../run/run-options.ts";

/** `bylaw run` */
export function addRunCommand(program: Command): void {
  const option = (command: Command, flags: string, description: string): Command =>
    command.option(flags, description, valueOf(flags));
  const run = program
    .command("run")
    .description("Run a workflow template step by step, and resume it after a crash")
    .argument(
      "[template]",
      "a file, or a name from `bylaw template list`; without it a worker takes all of these",
    );
  option(run, "--store <url>", `the store that holds the run: ${STORE_TEXT}`);
  run.option("--data <dir>", "the folder of store.db (default: .bylaw)", pathOf("--data <dir>"));
  option(
    run,
    "--run <name>",
    "the name of the run (default: the name of the template, numbered if taken)",
  );
  run.option("--resume", "resume a run after a crash, or as a person after a checkpoint or a hold");
  option(
    run,
    "--by <person>",
    "who ends a pause or hold: an operator with a token, or a person at a terminal",
  );
  option(run, "--from <step>", "start at this step, or with --resume continue from it");
  option(run, "--track <name>", "the track of the template that a new run takes");
  run.option(
    "--choose <option...>",
    "the options that a new run chooses",
    valuesOf("--choose <option...>"),
  );
  run
    .option(
      "--migrate",
      "with --resume: carry the run over to the current template; with --dry-run only show what changed",
    )
    .addOption(compatOption())
    .option(
      "--agents <file>",
      "a file with the command of each agent, which override those of the template",
      pathOf("--agents <file>"),
    )
    .option(
      "--config <file>",
      "the configuration (default: the nearest bylaw.config.* upwards, if any)",
      pathOf("--config <file>"),
    )
    .option(
      "--control-file <file>",
      "where agents write requests (default: .bylaw/memory/behavior.json)",
      pathOf("--control-file <file>"),
    )
    .addOption(
      choice(
        "--driver <name>",
        "let workers on many machines drive the run, and how they are woken",
        DRIVERS,
      ),
    )
    .option("--worker", "drive runs that others started with --driver, until stopped")
    .option(
      "--lease <seconds>",
      "how long a silent worker keeps a run (default: 60)",
      numberOf("--lease <seconds>", 1),
    )
    .option("--dry-run", "print the plan without running it")
    .option("--json", "print the outcome as JSON")
    .addHelpText("after", HELP)
    .action(
      async (template: string | undefined, options: RunOptions & { readonly worker?: boolean }) => {
        if (options.worker === true) {
          const { runWorker } = await import("../commands/run-worker.ts");
          return runWorker(template, options);
        }
        if (template === undefined)
          throw usageError(
            "`<template>` is missing: `bylaw run <template>`",
            "See `bylaw run --help`",
          );
        const { runTemplate } = await import("../commands/run.ts");
        return runTemplate(template, options);
      },
    );
}

const HELP = `
Exit code: 0 completed, 1 held (a step failed, a request was rejected, a control file is broken) or interrupted,
2 usage error or a template with an error, 3 paused at a checkpoint, 4 stopped by a step.

Examples:
  $ bylaw run release.yaml
  $ bylaw run release --run release-42 --data .bylaw
  $ bylaw run release --run release-42 --resume --by ada
  $ bylaw run release --run release-42 --resume --migrate --dry-run
  $ bylaw run release --driver embedded

On many machines: run \`bylaw run --worker --store postgres://…\` on each, and start runs with --driver and the same store.`;
