import type { LogEvent } from "@bylaw/kernel";
import type { LogReader, SinkWriter } from "@bylaw/log";
import { createStatus, type StatusOptions } from "./fold.ts";
import { removeLeftovers, replaceFile } from "./replace-file.ts";

/** How a status is kept in a file. */
export interface StatusFileOptions extends StatusOptions {
  /** Absolute path. */
  readonly path: string;
  /** The least milliseconds between two writes. */
  readonly every_ms: number;
}

/** How many events are read from the log at once. */
const PAGE = 1_000;

/**
 * Keeps the status of a run in a file, written with the first event, then at most once in `every_ms`, and when the run is closed.
 * The state comes only from the log, so any number of processes may write the file: the last writer checks whether the log has
 * grown meanwhile, and writes again.
 */
export function keepStatusFile(
  log: LogReader,
  { path, every_ms, ...options }: StatusFileOptions,
): SinkWriter {
  const status = createStatus(options);
  let written = 0;
  let begun = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = removeLeftovers(path);
  let late: unknown;

  async function catchUp(): Promise<void> {
    for (;;) {
      const page = await log.events(status.head, PAGE);
      status.add(page);
      if (page.length < PAGE) return;
    }
  }

  async function bring(): Promise<void> {
    begun = performance.now();
    for (;;) {
      await catchUp();
      if (status.head === written) return;
      const { head } = status;
      await replaceFile(path, status.parts());
      written = head;
      // An earlier failure no longer matters.
      late = undefined;
    }
  }

  // One after the other, so that one process never writes the file twice at once.
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const next = turn.then(bring);
    turn = next.catch(() => {});
    return next;
  }

  function throwLate(): void {
    const error = late;
    late = undefined;
    if (error !== undefined) throw error;
  }

  return {
    async write(events: readonly LogEvent[]) {
      throwLate();
      // Events that other processes recorded in between are read with the next write.
      if (events[0]?.sequence === status.head + 1) status.add(events);
      const wait = begun + every_ms - performance.now();
      if (wait <= 0) return flush();
      timer ??= setTimeout(() => {
        flush().catch((error: unknown) => {
          late = error;
        });
      }, wait).unref();
    },
    async close() {
      await flush();
      throwLate();
    },
  };
}
