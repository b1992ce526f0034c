import { Option, type Command } from "commander";
import { usageError } from "../fault.ts";
import { numberOf, pathOf, valueOf, valuesOf, wordOf } from "../usage.ts";
import { compatOption } from "./compat-option.ts";
import { DRIVERS, type RunOptions } from "./run-options.ts";

/** The command that runs a workflow, wired as `bylaw run`. */
export function addRunCommand(program: Command): void {
  const option = (command: Command, flags: string, description: string): Command => command.option(flags, description, valueOf(flags));
  const run = program
    .command("run")
    .description("Run a workflow template step by step, and go on after a crash where it stopped.")
    .argument("[template]", "a file, or the name of one that `bylaw template list` shows; a worker takes all of these without it");
  option(run, "--store <url>", "where the run is kept: sqlite:PATH, a path that ends in .db or .sqlite, or postgres://…");
  run.option("--data <dir>", "keep it in store.db there (default: .bylaw)", pathOf("--data <dir>"));
  option(run, "--run <name>", "the name of the run (default: that of the template, with a number where it is taken)");
  run.option("--resume", "go on with a run: after a crash, and as a person after a checkpoint or a hold");
  option(run, "--by <person>", "who ends a pause or a hold: an operator with a token, or a person at a terminal");
  option(run, "--from <step>", "begin at this step; with --resume go on from it");
  option(run, "--track <name>", "the way through the template that a new run takes");
  run.option("--choose <option...>", "what a new run chooses of the template's choices", valuesOf("--choose <option...>"));
  run
    .option("--migrate", "with --resume: carry the run over to the template as it is now; with --dry-run only say what changed")
    .addOption(compatOption())
    .option("--agents <file>", "agents, by name: what each runs; they go before those of the template", pathOf("--agents <file>"))
    .option("--config <file>", "the configuration (default: the nearest one upwards, if any)", pathOf("--config <file>"))
    .option("--control-file <file>", "where agents write requests (default: .bylaw/memory/behavior.json)", pathOf("--control-file <file>"))
    .addOption(
      new Option("--driver <name>", "let workers on many machines drive the run; they are woken by this")
        .choices(DRIVERS)
        .argParser(wordOf("--driver <name>", DRIVERS)),
    )
    .option("--worker", "drive runs of others that were begun with --driver, until it is ended")
    .option("--lease <seconds>", "who gives no sign for so long is taken for dead (default: 60)", numberOf("--lease <seconds>", 1))
    .option("--dry-run", "print the plan and run nothing")
    .option("--json", "print what came of it as JSON")
    .addHelpText("after", HELP)
    .action(async (template: string | undefined, options: RunOptions & { readonly worker?: boolean }) => {
      if (options.worker === true) {
        const { runWorker } = await import("./run-worker.ts");
        return runWorker(template, options);
      }
      if (template === undefined)
        throw usageError("Unexpected command without `<template>`, expected `bylaw run <template>`", "see `bylaw run --help`");
      const { runTemplate } = await import("./run.ts");
      return runTemplate(template, options);
    });
}

const HELP = `
Exit code: 0 completed, 1 held (a step failed, a request was rejected, a control file is broken) or interrupted,
2 usage error or a template with a fault, 3 paused at a checkpoint, 4 stopped by a step.

Examples:
  $ bylaw run release.yaml
  $ bylaw run release --run release-42 --data .bylaw
  $ bylaw run release --run release-42 --resume --by ada
  $ bylaw run release --run release-42 --resume --migrate --dry-run
  $ bylaw run release --driver embedded

On many machines: \`bylaw run --worker --store postgres://…\` on each, and --driver with the same store where a run begins.`;
