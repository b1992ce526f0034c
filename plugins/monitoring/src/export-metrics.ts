import type { Contract } from "@bylaw/contract";
import { BylawError, isJsonObject, type Json, type LogEvent } from "@bylaw/kernel";
import type { LogReader, SinkWriter } from "@bylaw/log";
import { openLineFile, type LineFile } from "./append-file.ts";
import { exportLine } from "./export-line.ts";
import { workflowMetrics, type Metrics } from "./metrics.ts";

/** How many events are asked of the log at once. */
const PAGE = 1_000;

/** The lines of an export: one for some events, made from the state before and after each. */
interface Lines<State> {
  readonly initial: State;
  readonly reduce: (state: State, event: LogEvent) => State;
  readonly lineOf: (event: LogEvent, before: State, after: State) => object | undefined;
}

/** Exports measurements into a file, a line for each event that adds to one. Throws as `exportLines`. */
export const exportMetrics = (log: LogReader, contract: Contract, path: string): SinkWriter =>
  exportLines<Metrics>(log, path, {
    initial: workflowMetrics.initial,
    reduce: (state, event) => workflowMetrics.reduce(state, event),
    lineOf: (event, before, after) => exportLine(log.run, event, before, after, contract),
  });

/**
 * Exports lines of events into a file, in the order of the log. What the file has of the run is never written again: its last line
 * of the run says where to go on, after a restart and after another process. Throws BYLAW_METRICS_UNWRITABLE, and
 * BYLAW_METRICS_DIVERGED for a file that is ahead of the log.
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

  // Folds every event, and has the lines of those that are not in the file.
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
        // Nothing waits between looking and writing, so that other processes are as good as shut out.
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

/** The sequence of the last line of a run; 0 where the file has none. */
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
    fix: "Move the file away: it is of another run of this name, or somebody wrote into it; a new one is written whole",
    source: { file },
  });
