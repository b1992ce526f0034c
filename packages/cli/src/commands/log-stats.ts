import { createEventReader } from "../log/read-events.ts";
import { logLines, sourceOf } from "../log/log-source.ts";
import { LogStatsCounter, type LogStats, type NameCount } from "../log/log-stats-counter.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { count, paintFor, short } from "../io/text.ts";
import type { CommandSpec, OptionsOf } from "../command-line/command.ts";
import { LOG_OPTIONS } from "../command-line/shared-options.ts";

export const command: CommandSpec = {
  arguments: {
    file: ["events, one JSON object per line, rotated files in order; - reads standard input"],
  },
  options: LOG_OPTIONS,
  help: `
Exit code: 0 printed, 1 printed but some lines are not events, 2 usage error or a log that cannot be read.

Examples:
  $ bylaw log stats events.jsonl
  $ bylaw log stats --store runs.db --run main --json`,
  run: logStats,
};

/** Prints counts of the events in a log. The exit code is 1 if a line is not an event. */
async function logStats(
  files: readonly string[],
  options: OptionsOf<typeof LOG_OPTIONS>,
): Promise<void> {
  const source = await sourceOf(files, options);
  const reader = createEventReader();
  const tally = new LogStatsCounter();
  for await (const lines of logLines(source))
    for (const event of reader.read(lines)) tally.add(event);
  const found = tally.result();
  await write(
    options.json === true ? jsonLine({ ...found, bad_lines: reader.bad }) : statsText(found),
  );
  reader.report();
  conclude(reader.bad > 0 ? 1 : 0);
}

// The most lines per table. `--json` prints all.
const SHOWN = 20;

function statsText({
  events,
  first,
  last,
  sessions,
  types,
  agents,
  decisions,
  rules,
}: LogStats): string {
  if (first === undefined || last === undefined) return "0 events\n";
  const paint = paintFor(process.stdout);
  const title = (text: string): string => `${paint("bold", text)}\n`;
  const list = (name: string, counts: readonly NameCount[]): string => {
    if (counts.length === 0) return "";
    const rows = counts
      .slice(0, SHOWN)
      .map(
        ({ name: what, events: number }) => `${String(number).padStart(9)}  ${short(what, 120)}\n`,
      );
    const more =
      counts.length > SHOWN ? [`           ${counts.length - SHOWN} more with --json\n`] : [];
    return title(name) + [...rows, ...more].join("");
  };
  const span = `${count(events, "event")}, ${first.sequence} to ${last.sequence}, ${short(first.timestamp, 40)} to ${short(last.timestamp, 40)}\n`;
  const sittings = sessions.slice(0, SHOWN).map(({ session_id, begin, end, events: number }) => {
    return `${String(number).padStart(9)}  ${short(session_id, 40)}  ${short(begin, 40)} to ${short(end, 40)}\n`;
  });
  const hidden =
    sessions.length > SHOWN ? `           ${sessions.length - SHOWN} more with --json\n` : "";
  return [
    span,
    `${title("sessions")}${sittings.join("")}${hidden}`,
    list("types", types),
    list("agents", agents),
    list("decisions", decisions),
    list("rules", rules),
  ].join("");
}
