import type { RunSummary } from "@bylaw/log";
import { withReader } from "../log/open-store.ts";
import { storeOrProject } from "../log/project-store.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { paintFor, short } from "../io/text.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { STORE_OPTION } from "../command-line/shared-options.ts";

const OPTIONS = [
  STORE_OPTION,
  ["--json", "print JSON, one run per line"],
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  options: OPTIONS,
  help: `
Exit code: 0 printed, even if there are none; 2 usage error, or a store that cannot be used.

Examples:
  $ bylaw log runs
  $ bylaw log runs --store runs.db
  $ bylaw log runs --store sqlite:runs.db --json`,
  run: listRuns,
};

/** Prints the runs of a store. The run with the latest event is last. */
async function listRuns({ store, json = false }: OptionsOf<typeof OPTIONS>): Promise<void> {
  const runs = await withReader(storeOrProject(store), (opened) => opened.runs());
  const ordered = runs.toSorted((one, other) => Date.parse(one.last) - Date.parse(other.last));
  await write(json ? ordered.map(jsonLine).join("") : table(ordered));
  conclude(0);
}

function table(runs: readonly RunSummary[]): string {
  const paint = paintFor(process.stdout);
  const row = (head: string, first: string, last: string, run: string): string =>
    `${head.padStart(8)} ${first.padEnd(24)} ${last.padEnd(24)} ${run}\n`;
  const lines = runs.map(({ run, head, first, last }) =>
    row(String(head), short(first, 40), short(last, 40), short(run, 200)),
  );
  return [`${paint("bold", row("HEAD", "FIRST", "LAST", "RUN").trimEnd())}\n`, ...lines].join("");
}
