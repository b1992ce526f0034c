import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { LINE_LIMIT_BYTES, TOO_LONG } from "../io/split-lines.ts";
import { faultOf, refuseStore } from "./log-source.ts";

const CHUNK = 262_144;
const NEWLINE = 0x0a;

/** A line as it stands in a file. */
export interface TailLine {
  /** Empty where there is a fault. */
  readonly text: string;
  /** Why the line cannot be read as text. */
  readonly fault?: string;
}

/** An open file that is read as it grows. */
export interface GrowingFile {
  /** As it was when it was opened. */
  readonly stats: Stats;
  /** The lines that have been completed since the last call. A line without its line break waits for it. */
  read(): Generator<readonly TailLine[]>;
  /** What waits for its line break. */
  rest(): TailLine | undefined;
  /** Goes to the beginning of the last lines, as many as are asked for. What no line break ends counts as a line. */
  toLast(lines: number): void;
  /** Goes to the beginning. */
  rewind(): void;
  /** Whether the file is shorter than what was read of it. */
  wasCut(): boolean;
  close(): void;
}

/** Opens a file for reading. Throws what the system says, and BYLAW_LOG_UNREADABLE for the file of a store. */
export function openGrowing(path: string): GrowingFile {
  // A pipe that nobody writes to would keep us waiting.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = fstatSync(fd);
  if (!stats.isFile()) {
    closeSync(fd);
    throw Object.assign(new Error("no regular file"), {
      code: stats.isDirectory() ? "EISDIR" : "ESPIPE",
      syscall: "read",
    });
  }
  const begin = Buffer.alloc(32);
  try {
    refuseStore(path, begin.subarray(0, readSync(fd, begin, 0, begin.length, 0)));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  let at = 0;
  let held: Buffer[] = [];
  let size = 0;

  function finish(tail: Buffer): TailLine {
    const tooLong = size + tail.length > LINE_LIMIT_BYTES;
    const line = tooLong ? TOO_LONG : Buffer.concat([...held, tail]);
    held = [];
    size = 0;
    const fault = faultOf(line);
    return fault !== undefined || line === TOO_LONG
      ? { text: "", fault: fault ?? "" }
      : { text: line.toString("utf8") };
  }

  function hold(part: Buffer): void {
    size += part.length;
    if (size <= LINE_LIMIT_BYTES) held.push(Buffer.from(part));
    else held = [];
  }

  return {
    stats,
    *read() {
      const chunk = Buffer.alloc(CHUNK);
      for (;;) {
        const length = readSync(fd, chunk, 0, CHUNK, at);
        if (length === 0) return;
        at += length;
        const lines: TailLine[] = [];
        let start = 0;
        for (
          let end = chunk.indexOf(NEWLINE);
          end !== -1 && end < length;
          end = chunk.indexOf(NEWLINE, start)
        ) {
          lines.push(finish(chunk.subarray(start, end)));
          start = end + 1;
        }
        if (start < length) hold(chunk.subarray(start, length));
        if (lines.length > 0) yield lines;
      }
    },
    rest() {
      return size === 0 ? undefined : finish(Buffer.alloc(0));
    },
    toLast(lines) {
      at = startOfLast(fd, fstatSync(fd).size, lines);
    },
    rewind() {
      at = 0;
      held = [];
      size = 0;
    },
    wasCut: () => fstatSync(fd).size < at,
    close: () => closeSync(fd),
  };
}

// Backwards, a chunk at a time, so that a log of any length is read in no time.
function startOfLast(fd: number, size: number, lines: number): number {
  if (lines === 0) return size;
  const chunk = Buffer.alloc(CHUNK);
  let left = lines;
  // The line break at the very end ends the last line, and begins none.
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
