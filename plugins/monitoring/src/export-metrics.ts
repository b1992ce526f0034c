import type { Contract } from "@bylaw/contract";
import { BylawError, isJsonObject, type Json, type LogEvent } from "@bylaw/kernel";
import type { LogReader, SinkWriter } from "@bylaw/log";
import { openLineFile, type LineFile } from "./append-file.ts";
import { exportLine } from "./export-line.ts";
import { workflowMetrics, type Metrics } from "./metrics.ts";

/** How many events are read from the log at once. */
const PAGE = 1_000;

/** Makes the lines of an export: at most one per event, from the state before and after it. */
interface Lines<State> {
  readonly initial: State;
  readonly reduce: (state: State, event: LogEvent) => State;
  readonly lineOf: (event: LogEvent, before: State, after: State) => object | undefined;
}

/** Exports measurements into a file, with a line for each event that contributes to one. Throws like `exportLines`. */
export const exportMetrics = (log: LogReader, contract: Contract, path: string): SinkWriter =>
  exportLines<Metrics>(log, path, {
    initial: workflowMetrics.initial,
    reduce: (state, event) => workflowMetrics.reduce(state, event),
    lineOf: (event, before, after) => exportLine(log.run, event, before, after, contract),
  });

/**
 * Exports lines of events into a file, in the order of the log. Nothing is written twice: the file's last line of the run shows
 * where to continue, after a restart or another process. Throws BYLAW_METRICS_UNWRITABLE, and BYLAW_METRICS_DIVERGED for a file
 * that is ahead of the log.
 */
export function exportLines<State>(
  log: LogReader,
  path: string,
  { initial, reduce, lineOf }: Lines<State>,
): SinkWriter {
  let file: LineFile | undefined;
  let state = initial;
  let head = 0;
  let exported = 0;

  // Folds every event, and returns the lines that the file lacks.
  function take(events: readonly LogEvent[]): readonly string[] {
    const lines: string[] = [];
    for (const event of events) {
      const after = reduce(state, event);
      const line = event.sequence > exported ? lineOf(event, state, after) : undefined;
      if (line !== undefined) lines.push(JSON.stringify(line));
      state = after;
      head = event.sequence;
    }
    return lines;
  }

  return {
    async write() {
      file ??= openLineFile(path);
      for (;;) {
        const page = await log.events(head, PAGE);
        // There is no wait between reading and writing, so other processes hardly ever come between.
        if (!file.ours) exported = Math.max(exported, lastOf(file, log.run));
        const lines = take(page);
        if (lines.length > 0) file.append(lines);
        exported = Math.max(exported, head);
        if (page.length < PAGE) break;
      }
      if (exported > head) throw diverged(path, exported, head);
    },
    close: () => file?.close(),
  };
}

/** The sequence of the last line of a run; 0 if the file has none. */
function lastOf(file: LineFile, run: string): number {
  for (const text of file.backwards()) {
    const line = parse(text);
    if (line === undefined || !isJsonObject(line) || line["run"] !== run) continue;
    const { sequence } = line;
    if (typeof sequence === "number" && Number.isSafeInteger(sequence)) return sequence;
  }
  return 0;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const diverged = (file: string, last: number, head: number): BylawError =>
  new BylawError({
    code: "BYLAW_METRICS_DIVERGED",
    message: `The export has a line for event ${last}, and the log ends at event ${head}`,
    fix: "Move the file away. It belongs to another run of this name, or somebody edited it. A complete new one is then written",
    source: { file },
  });
