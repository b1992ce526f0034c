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
export function keepStatusFile(log: LogReader, input: StatusFileOptions): SinkWriter {
  return new StatusFile(log, input);
}

class StatusFile implements SinkWriter {
  readonly #log: LogReader;
  readonly #path: string;
  readonly #every_ms: number;
  readonly #status: ReturnType<typeof createStatus>;
  #written = 0;
  #begun = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void>;
  #backgroundError: unknown;

  constructor(log: LogReader, { path, every_ms, ...options }: StatusFileOptions) {
    this.#log = log;
    this.#path = path;
    this.#every_ms = every_ms;
    this.#status = createStatus(options);
    this.#turn = removeLeftovers(path);
  }

  async write(events: readonly LogEvent[]): Promise<void> {
    this.#throwLate();
    // Events that other processes recorded in between are read with the next write.
    if (events[0]?.sequence === this.#status.head + 1) this.#status.add(events);
    const wait = this.#begun + this.#every_ms - performance.now();
    if (wait <= 0) return this.#flush();
    this.#timer ??= setTimeout(() => {
      this.#flush().catch((error: unknown) => {
        this.#backgroundError = error;
      });
    }, wait).unref();
  }

  async close(): Promise<void> {
    await this.#flush();
    this.#throwLate();
  }

  // One after the other, so that one process never writes the file twice at once.
  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const next = this.#turn.then(() => this.#replace());
    this.#turn = next.catch(() => {});
    return next;
  }

  async #replace(): Promise<void> {
    this.#begun = performance.now();
    for (;;) {
      await this.#catchUp();
      const { head } = this.#status;
      if (head === this.#written) return;
      await replaceFile(this.#path, this.#status.parts());
      this.#written = head;
      // An earlier failure no longer matters.
      this.#backgroundError = undefined;
    }
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const page = await this.#log.events(this.#status.head, PAGE);
      this.#status.add(page);
      if (page.length < PAGE) return;
    }
  }

  #throwLate(): void {
    const error = this.#backgroundError;
    this.#backgroundError = undefined;
    if (error !== undefined) throw error;
  }
}
