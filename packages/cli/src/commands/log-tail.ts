import type { LogEvent } from "@bylaw/kernel";
import { ANCHOR_TYPE } from "@bylaw/log";
import { usageError } from "../io/report-error.ts";
import { eventText } from "../log/event-text.ts";
import { eventOn } from "../log/read-events.ts";
import { followFile } from "../log/follow-file.ts";
import { logLines, sourceOf, unreadable } from "../log/log-source.ts";
import { followRun, lastOfRun } from "../log/follow-run.ts";
import { openGrowing, type TailLine } from "../log/growing-file.ts";
import { untilInterrupted } from "../io/until-interrupted.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { paintFor, plain, short } from "../io/text.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { LOG_OPTIONS } from "../command-line/shared-options.ts";

const OPTIONS = [
  ...LOG_OPTIONS,
  ["-f, --follow", "keep printing new events, across rotations, until interrupted"],
  ["-n, --lines <number>", "how many existing events to print", { least: 0, default: 10 }],
] as const satisfies readonly OptionSpec[];
type TailOptions = OptionsOf<typeof OPTIONS>;

export const command: CommandSpec = {
  arguments: { file: ["events, one JSON object per line; - reads standard input"] },
  options: OPTIONS,
  help: `
Exit code: 0 printed, also when interrupted; 2 usage error or a log that cannot be read.

Examples:
  $ bylaw log tail --follow events.jsonl
  $ bylaw log tail -n 100 --json events.jsonl
  $ bylaw log tail --store runs.db --run main`,
  run: tailLog,
};

/** Prints the last events of a log, and with `--follow` the new ones. The exit code is 0 even if it is interrupted. */
async function tailLog(file: string | undefined, options: TailOptions): Promise<void> {
  const { follow = false, lines: most, json = false } = options;
  const source = await sourceOf(file === undefined ? [] : [file], options);
  const printer = createPrinter(json);
  const stop = follow ? untilInterrupted() : undefined;
  if ("store" in source) {
    const head = await lastOfRun(source, most, printer.events);
    if (stop !== undefined) await followRun(source, head, printer.events, stop);
  } else if (file === "-") {
    if (follow)
      throw usageError(
        "`--follow` cannot follow standard input",
        "Remove `--follow`; a pipe is read to its end anyway",
      );
    await tailPipe(most, printer.lines);
  } else await tailFile(file ?? "", most, printer, stop);
  conclude(0);
}

async function tailFile(
  path: string,
  most: number,
  printer: Printer,
  stop: AbortSignal | undefined,
): Promise<void> {
  try {
    const opened = openGrowing(path);
    opened.toLast(most);
    for (const batch of opened.read()) await printer.lines(batch);
    if (stop !== undefined) {
      const note = (text: string): void =>
        void process.stderr.write(`note: ${plain(path)} ${text}\n`);
      return await followFile(path, opened, { lines: printer.lines, note }, stop);
    }
    const rest = opened.rest();
    if (rest !== undefined) await printer.lines([rest]);
    opened.close();
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function tailPipe(
  most: number,
  print: (lines: readonly TailLine[]) => Promise<void>,
): Promise<void> {
  let last: readonly TailLine[] = [];
  for await (const lines of logLines({ files: ["-"] }))
    last = [...last, ...lines].slice(Math.max(0, last.length + lines.length - most));
  await print(last);
}

interface Printer {
  readonly lines: (lines: readonly TailLine[]) => Promise<void>;
  readonly events: (events: readonly LogEvent[]) => Promise<void>;
}

function createPrinter(json: boolean): Printer {
  const paint = paintFor(process.stdout);
  const row = (event: LogEvent): string => {
    const width = process.stdout.isTTY ? process.stdout.columns : undefined;
    return json ? jsonLine(event) : `${eventText(event, paint, { width })}\n`;
  };
  function line(read: TailLine): string {
    if (read.fault === undefined && /^[ \t\r]*$/.test(read.text)) return "";
    const event = eventOn(read);
    if (typeof event !== "string") return event.event_type === ANCHOR_TYPE ? "" : row(event);
    process.stderr.write(`note: a line is not an event: ${plain(event)}\n`);
    return json ? "" : `${paint("red", "no event")} ${short(read.text, 120)}\n`;
  }
  return {
    lines: async (lines) => write(lines.map(line).join("")),
    events: async (events) => write(events.map(row).join("")),
  };
}
