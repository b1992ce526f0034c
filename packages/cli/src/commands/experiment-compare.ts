import { BylawError } from "@bylaw/kernel";
import { VARIANTS, type Variant } from "@bylaw/log/experiment";
import { didYouMean, quote } from "@bylaw/wording";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION, STORE_OPTION } from "../command-line/shared-options.ts";
import { compareUnits } from "../experiment/comparison.ts";
import { comparisonText } from "../experiment/comparison-text.ts";
import { ExperimentCollector, type FoundExperiment } from "../experiment/experiment-collector.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { usageError } from "../io/report-error.ts";
import { count, paintFor, plain } from "../io/text.ts";
import { createEventReader } from "../log/read-events.ts";
import { readRuns } from "../report/read-runs.ts";

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
  const collector = new ExperimentCollector(runs);
  const reader = createEventReader();
  await readRuns([], store === undefined ? {} : { store }, { into: collector, reader });
  for (const run of runs?.keys() ?? [])
    if (!collector.begun.has(run)) throw missing(run, collector);
  const found = chosen(collector.found, name);
  const compared = found.map(([experiment, { units, digests }]) => ({
    experiment,
    tasks: { a: units.a.length, b: units.b.length },
    digests: { a: [...digests.a], b: [...digests.b] },
    figures: compareUnits(units, { paired: false }),
  }));
  if (json) await write(compared.map(jsonLine).join(""));
  else if (compared.length === 0) await write("No task was assigned to an experiment yet\n");
  else await write(compared.map(textOf).join("\n"));
  conclude(0);
}

interface Compared {
  readonly experiment: string;
  readonly tasks: Readonly<Record<Variant, number>>;
  readonly digests: Readonly<Record<Variant, readonly string[]>>;
  readonly figures: ReturnType<typeof compareUnits>;
}

function textOf({ experiment, tasks, digests, figures }: Compared): string {
  const what = experiment === "" ? "" : `${plain(experiment)}: `;
  const title = `${what}per task, over ${tasks.a} in a and ${tasks.b} in b`;
  const changed = VARIANTS.filter((variant) => digests[variant].length > 1).map(
    (variant) =>
      `note: version ${variant} changed during the experiment: ${count(digests[variant].length, "digest")}\n`,
  );
  return `${comparisonText(title, figures, paintFor(process.stdout))}${changed.join("")}`;
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

const missing = (run: string, { begun }: ExperimentCollector): BylawError =>
  new BylawError({
    code: "BYLAW_RUN_MISSING",
    message: `No run named ${quote(run)} in this store`,
    fix: didYouMean(run, [...begun]) ?? "List the runs of the store with `bylaw log runs`",
  });

function chosen(
  found: ReadonlyMap<string, FoundExperiment>,
  name: string | undefined,
): readonly (readonly [string, FoundExperiment])[] {
  const one = name === undefined ? undefined : found.get(name);
  if (name === undefined) return [...found];
  if (one !== undefined) return [[name, one]];
  throw usageError(
    `No experiment named ${quote(name)} in this store`,
    didYouMean(name, [...found.keys()]),
  );
}
