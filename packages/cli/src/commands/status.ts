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
  ["--log <file...>", "the log, rotated files in order; - reads standard input", { path: true }],
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
 * Prints the state of a run, folded from its log: with `--json` the bytes that `status.json` has when the log stands there. The exit
 * code is 1 where a line is no event, or one that comes again.
 */
async function showStatus({
  log = [],
  keep,
  json = false,
  ...from
}: OptionsOf<typeof OPTIONS>): Promise<void> {
  const source = await sourceOf(log, from);
  const reader = createEventReader();
  // Tables have the totals alone: a log may hold more violations than there is room for in memory.
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
      `warning: left out ${count(again, "event")} with a number that was seen before; name rotated files in their order\n`,
    );
  }
  conclude(reader.bad + again > 0 ? 1 : 0);
}
