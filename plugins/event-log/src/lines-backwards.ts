import { readAt } from "./read-at.ts";

const CHUNK = 65_536;
/** The longest line that is read, in bytes. */
export const MAX_LINE_BYTES = 64 * 1_048_576;

export interface FileLine {
  /** The position of its first byte. */
  readonly start: number;
  /** The line without its line break. `undefined`: it is not UTF-8, or longer than `MAX_LINE_BYTES`. */
  readonly text: string | undefined;
  readonly terminated: boolean;
}

/** Reads lines from the end of a file to its beginning. Text after the last line break, if any, comes first. */
export function* linesBackwards(fd: number, size: number): Generator<FileLine> {
  let parts: Buffer[] = [];
  let length = 0;
  let terminated = false;
  let end = size;
  const line = (start: number): FileLine => {
    const text = length > MAX_LINE_BYTES ? undefined : decode(Buffer.concat(parts));
    parts = [];
    length = 0;
    return { start, text, terminated };
  };
  const add = (part: Buffer): void => {
    length += part.length;
    if (length > MAX_LINE_BYTES) parts = [];
    else parts.unshift(part);
  };
  while (end > 0) {
    const start = Math.max(0, end - CHUNK);
    const chunk = readAt(fd, start, end - start);
    let stop = chunk.length;
    for (
      let at = chunk.lastIndexOf(0x0a);
      at >= 0;
      at = stop === 0 ? -1 : chunk.lastIndexOf(0x0a, stop - 1)
    ) {
      add(chunk.subarray(at + 1, stop));
      if (terminated || length > 0) yield line(start + at + 1);
      terminated = true;
      stop = at;
    }
    add(chunk.subarray(0, stop));
    end = start;
  }
  if (terminated || length > 0) yield line(0);
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
