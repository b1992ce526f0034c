import { ANCHOR_TYPE } from "@bylaw/log";
import type { LogEvent } from "@bylaw/kernel";
import { checkFiles, logLines, type LogSource, type SourceOptions } from "../log/log-source.ts";
import { runsIn } from "../log/project-store.ts";
import { eventOn, type EventReader } from "../log/read-events.ts";

/** Receives the events of any number of runs, run by run. */
export interface RunsReader {
  /** Begins a run. All following events belong to it. */
  begin(run: string): void;
  add(event: LogEvent): void;
}

/**
 * Reads logs, one run for each file, or all runs of a store or one of them. A file that begins with an anchor continues the file
 * before it.
 */
export async function readRuns(
  files: readonly string[],
  from: SourceOptions,
  { into, reader }: { readonly into: RunsReader; readonly reader: EventReader },
): Promise<void> {
  let begun = false;
  for (const source of await runSources(files, from)) {
    let first = true;
    for await (const lines of logLines(source)) {
      const [line] = lines;
      if (first && line !== undefined) {
        const head = eventOn(line);
        // A rotated file without the file before it begins a run of its own.
        if (typeof head === "string" || head.event_type !== ANCHOR_TYPE || !begun)
          into.begin("store" in source ? source.run : line.file);
        first = false;
        begun = true;
      }
      for (const event of reader.read(lines)) into.add(event);
    }
  }
}

/** The logs of runs: one for each file, or all runs of a store or one of them. */
export async function runSources(
  files: readonly string[],
  from: SourceOptions,
): Promise<readonly LogSource[]> {
  checkFiles(files, from);
  return files.length > 0 ? files.map((file) => ({ files: [file] })) : await runsIn(from);
}
