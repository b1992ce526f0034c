import { compareUnits, replayTitle } from "@bylaw/dashboard";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import {
  JSON_OPTION,
  LOGS_ARGUMENT,
  REPLAYED_OPTIONS,
  STORE_OPTION,
  VERSION_TEXT,
} from "../command-line/shared-options.ts";
import { comparisonText } from "../experiment/comparison-text.ts";
import { loadVersion } from "../experiment/load-version.ts";
import { replayRuns } from "../experiment/replay-runs.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { paintFor } from "../io/text.ts";
import { eventFilter } from "../log/event-filter.ts";
import { runSources } from "../report/read-runs.ts";
import { resultText } from "../replay/replay-lines.ts";
import { createReplayCount, type Flip, type NotReplayable } from "../replay/replay-report.ts";

const OPTIONS = [
  ["--a <version>", VERSION_TEXT, { required: true, path: true }],
  ["--b <version>", "the other version", { required: true, path: true }],
  STORE_OPTION,
  ...REPLAYED_OPTIONS,
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  arguments: LOGS_ARGUMENT,
  options: OPTIONS,
  help: `
Each version decides alone. \`bylaw ui\` shows the figures in a page. The figures are per run. Approvals and test runs of a gate count only for the contract and the files that
they were made for, so a transition that needs one is blocked under both versions.
Exit code: 0 printed, 2 usage error, a version that does not load, or a log that cannot be read.

Examples:
  $ bylaw experiment replay --a .bylaw/policy.toml --b candidate.toml
  $ bylaw ui --a .bylaw/policy.toml --b candidate.toml
  $ bylaw experiment replay events.jsonl --a agent_workflow.yaml --b agent_workflow.yaml --json`,
  run: replay,
};

/** How many decisions that change are shown to a person. */
const SHOWN = 20;

/** Decides recorded calls and transitions under two versions, lists what changes, and compares the counts of the runs. */
async function replay(
  files: readonly string[],
  { a, b, since, json = false, ...from }: OptionsOf<typeof OPTIONS>,
): Promise<void> {
  const wanted = eventFilter(since === undefined ? {} : { since }, Date.now());
  const kernels = { a: await loadVersion(a), b: await loadVersion(b) };
  // `bylaw ui` starts this command, and waits until both are loaded.
  process.send?.("loaded");
  const sources = await runSources(files, from);
  const count = createReplayCount("decision");
  const units = await replayRuns(sources, {
    kernels,
    wanted,
    count,
    textOf: json ? lineOf : changesText(),
  });
  const figures = await compareUnits(units, { paired: true });
  const runs = units.a.length;
  const summary = count.summary();
  if (json) await write(jsonLine({ runs, summary, figures }));
  else {
    const hidden = summary.flips + summary.not_replayable - SHOWN;
    const more = hidden > 0 ? `${hidden} more with --json\n` : "";
    const title = replayTitle({ runs });
    const table =
      figures.length === 0 ? "" : comparisonText(title, figures, paintFor(process.stdout));
    await write(`${more}${count.text()}\n${table === "" ? "" : `\n${table}`}`);
  }
  conclude(0);
}

const lineOf = (run: string, result: Flip | NotReplayable): string =>
  jsonLine("why" in result ? { run, not_replayable: result } : { run, flip: result });

/** Formats the first decisions that change, each after the name of its run. */
function changesText(): (run: string, result: Flip | NotReplayable) => string {
  let shown = 0;
  let last = "";
  return (run, result) => {
    shown += 1;
    if (shown > SHOWN) return "";
    const head = run === last ? "" : `run ${run}\n`;
    last = run;
    return `${head}${resultText(result, { json: false })}`;
  };
}
