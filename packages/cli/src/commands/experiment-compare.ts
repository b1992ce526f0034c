import {
  changesText,
  FoundExperiments,
  RunTasks,
  tasksText,
  type ComparedExperiment,
} from "@bylaw/dashboard";
import { BylawError } from "@bylaw/kernel";
import type { Variant } from "@bylaw/log/experiment";
import { didYouMean, quote } from "@bylaw/wording";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION, STORE_OPTION } from "../command-line/shared-options.ts";
import { comparisonText } from "../experiment/comparison-text.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { usageError } from "../io/report-error.ts";
import { paintFor, plain } from "../io/text.ts";
import { createEventReader } from "../log/read-events.ts";
import { readRuns, type RunsReader } from "../report/read-runs.ts";

const OPTIONS = [
  STORE_OPTION,
  ["--a <run...>", "compare the tasks of these runs, without an experiment"],
  ["--b <run...>", "with the tasks of these"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];
type CompareOptions = OptionsOf<typeof OPTIONS>;

export const command: CommandSpec = {
  arguments: {
    name: ["the experiment, as the option `experiment` of a policy names it (default: all)"],
  },
  options: OPTIONS,
  help: `
Exit code: 0 printed, even if there is no experiment; 2 usage error, or a store that cannot be read.

Examples:
  $ bylaw experiment compare
  $ bylaw experiment compare --store runs.db --json`,
  run: compare,
};

/** Compares the tasks of experiments, or those of runs, by what happened to them. */
async function compare(name: string | undefined, options: CompareOptions): Promise<void> {
  const { json = false, store } = options;
  const runs = runsOf(name, options);
  const found = new FoundExperiments();
  const begun = new Set<string>();
  const into = readerInto(found, { begun, runs });
  await readRuns([], store === undefined ? {} : { store }, { into, reader: createEventReader() });
  for (const run of runs?.keys() ?? []) if (!begun.has(run)) throw missing(run, begun);
  if (name !== undefined && !found.names.includes(name))
    throw usageError(
      `No experiment named ${quote(name)} in this store`,
      didYouMean(name, found.names),
    );
  const compared = await found.compare(name);
  if (json) await write(compared.map(jsonLine).join(""));
  else if (compared.length === 0) await write("No task was assigned to an experiment yet\n");
  else await write(compared.map(textOf).join("\n"));
  conclude(0);
}

interface RunsRead {
  readonly begun: Set<string>;
  readonly runs: ReadonlyMap<string, Variant> | undefined;
}

/** Reads runs into experiments. With `runs`, each task has the version of its run. */
function readerInto(found: FoundExperiments, { begun, runs }: RunsRead): RunsReader {
  let tasks: RunTasks | undefined;
  return {
    begin(run) {
      begun.add(run);
      const variant = runs?.get(run);
      const isWanted = runs === undefined || variant !== undefined;
      tasks = isWanted ? new RunTasks({ found, variant }) : undefined;
    },
    add: (event) => void tasks?.add(event),
  };
}

function textOf(compared: ComparedExperiment): string {
  const { experiment, figures } = compared;
  const title = `${experiment === "" ? "" : `${plain(experiment)}: `}${tasksText(compared)}`;
  const notes = changesText(compared).map((change) => `note: ${change}\n`);
  return `${comparisonText(title, figures, paintFor(process.stdout))}${notes.join("")}`;
}

function runsOf(
  name: string | undefined,
  { a, b }: CompareOptions,
): ReadonlyMap<string, Variant> | undefined {
  if (a === undefined && b === undefined) return undefined;
  if (a === undefined || b === undefined)
    throw usageError("`--a` and `--b` are needed together", "Name the runs of both versions");
  if (name !== undefined)
    throw usageError("An experiment and runs cannot be given together", "Leave one of them out");
  const both = a.find((run) => b.includes(run));
  if (both !== undefined) throw usageError(`The run ${quote(both)} is in both \`--a\` and \`--b\``);
  return new Map([
    ...a.map((run): [string, Variant] => [run, "a"]),
    ...b.map((run): [string, Variant] => [run, "b"]),
  ]);
}

const missing = (run: string, begun: ReadonlySet<string>): BylawError =>
  new BylawError({
    code: "BYLAW_RUN_MISSING",
    message: `No run named ${quote(run)} in this store`,
    fix: didYouMean(run, [...begun]) ?? "List the runs of the store with `bylaw log runs`",
  });
