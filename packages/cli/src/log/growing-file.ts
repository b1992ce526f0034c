import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { LINE_LIMIT_BYTES, TOO_LONG } from "../io/split-lines.ts";
import { faultOf, refuseStore } from "./log-source.ts";

const CHUNK = 262_144;
const NEWLINE = 0x0a;

/** A line of a file. */
export interface TailLine {
  /** The text of the line, empty if there is a fault. */
  readonly text: string;
  /** The reason why the line is not text. */
  readonly fault?: string;
}

/** Opens a file for reading. Throws the system's error, and BYLAW_LOG_UNREADABLE for the file of a store. */
export function openGrowing(path: string): GrowingFile {
  // Without O_NONBLOCK, opening a pipe without a writer would wait forever.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile())
      throw Object.assign(new Error("no regular file"), {
        code: stats.isDirectory() ? "EISDIR" : "ESPIPE",
        syscall: "read",
      });
    const begin = Buffer.alloc(32);
    refuseStore(path, begin.subarray(0, readSync(fd, begin, 0, begin.length, 0)));
    return new GrowingFile(fd, stats);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** An open file that is read while it grows. */
export class GrowingFile {
  /** The state of the file when it was opened. */
  readonly stats: Stats;
  readonly #fd: number;
  #at = 0;
  #held: Buffer[] = [];
  #size = 0;

  constructor(fd: number, stats: Stats) {
    this.#fd = fd;
    this.stats = stats;
  }

  /** Yields the lines completed since the last call. A line without a line break waits until it has one. */
  *read(): Generator<readonly TailLine[]> {
    const chunk = Buffer.alloc(CHUNK);
    for (;;) {
      const length = readSync(this.#fd, chunk, 0, CHUNK, this.#at);
      if (length === 0) return;
      this.#at += length;
      const lines: TailLine[] = [];
      let start = 0;
      for (
        let end = chunk.indexOf(NEWLINE);
        end !== -1 && end < length;
        end = chunk.indexOf(NEWLINE, start)
      ) {
        lines.push(this.#finish(chunk.subarray(start, end)));
        start = end + 1;
      }
      if (start < length) this.#hold(chunk.subarray(start, length));
      if (lines.length > 0) yield lines;
    }
  }

  /** The last line, if it has no line break yet. */
  rest(): TailLine | undefined {
    return this.#size === 0 ? undefined : this.#finish(Buffer.alloc(0));
  }

  /** Goes to the beginning of the last lines, as many as `lines`. An incomplete line at the end counts. */
  toLast(lines: number): void {
    this.#at = startOfLast(this.#fd, fstatSync(this.#fd).size, lines);
  }

  /** Goes to the beginning of the file. */
  rewind(): void {
    this.#at = 0;
    this.#held = [];
    this.#size = 0;
  }

  /** Whether the file is now shorter than the part that was read. */
  wasCut(): boolean {
    return fstatSync(this.#fd).size < this.#at;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #finish(tail: Buffer): TailLine {
    const tooLong = this.#size + tail.length > LINE_LIMIT_BYTES;
    const line = tooLong ? TOO_LONG : Buffer.concat([...this.#held, tail]);
    this.#held = [];
    this.#size = 0;
    const fault = faultOf(line);
    return fault !== undefined || line === TOO_LONG
      ? { text: "", fault: fault ?? "" }
      : { text: line.toString("utf8") };
  }

  #hold(part: Buffer): void {
    this.#size += part.length;
    if (this.#size <= LINE_LIMIT_BYTES) this.#held.push(Buffer.from(part));
    else this.#held = [];
  }
}

// Searches backwards in chunks, so that the time does not depend on the length of the log.
function startOfLast(fd: number, size: number, lines: number): number {
  if (lines === 0) return size;
  const chunk = Buffer.alloc(CHUNK);
  let left = lines;
  // The line break at the very end does not begin another line.
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - CHUNK);
    const length = readSync(fd, chunk, 0, end - start, start);
    for (
      let found = chunk.lastIndexOf(NEWLINE, length - 1);
      found !== -1;
      found = found === 0 ? -1 : chunk.lastIndexOf(NEWLINE, found - 1)
    ) {
      if (start + found === size - 1) continue;
      left -= 1;
      if (left === 0) return start + found + 1;
    }
    end = start;
  }
  return 0;
}
