import { createStatus } from "@bylaw/plugin-status";
import { createEventReader } from "../log/read-events.ts";
import { logLines, sourceOf } from "../log/log-source.ts";
import { conclude } from "../io/exit-code.ts";
import { write } from "../io/output.ts";
import { statusText } from "../report/status-text.ts";
import { count, paintFor } from "../io/text.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { STORE_OPTION } from "../command-line/shared-options.ts";

const OPTIONS = [
  STORE_OPTION,
  ["--run <run>", "the run in the store (default: the latest)"],
  ["--log <file...>", "the log, rotated files in order; - reads standard input"],
  [
    "--keep <number>",
    "how many violations to list for each agent, the last ones (default: all)",
    { least: 0 },
  ],
  ["--json", "print status.json"],
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  options: OPTIONS,
  help: `
Exit code: 0 printed, 1 printed but some lines are not events, 2 usage error or a log that cannot be read.

Examples:
  $ bylaw status
  $ bylaw status --log events.jsonl
  $ bylaw status --log events.jsonl --json > status.json`,
  run: showStatus,
};

/**
 * Prints the state of a run, computed from its log. With `--json` it prints exactly the `status.json` of a run with this log. The
 * exit code is 1 if a line is not an event or repeats one.
 */
async function showStatus({
  log = [],
  keep,
  json = false,
  ...from
}: OptionsOf<typeof OPTIONS>): Promise<void> {
  const source = await sourceOf(log, from);
  const reader = createEventReader();
  // Tables show only totals, because a log may hold more violations than fit into memory.
  const status = createStatus(json ? (keep === undefined ? {} : { keep }) : { keep: 0 });
  let again = 0;
  for await (const lines of logLines(source)) {
    for (const event of reader.read(lines)) {
      if (event.sequence <= status.head) again += 1;
      else status.add([event]);
    }
  }
  await write(json ? status.text() : statusText(status.value(), paintFor(process.stdout)));
  reader.report();
  if (again > 0) {
    process.stderr.write(
      `warning: left out ${count(again, "event")} with a repeated number. Name rotated files in their order.\n`,
    );
  }
  conclude(reader.bad + again > 0 ? 1 : 0);
}
