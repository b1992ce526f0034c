/** The longest line of a batch, in bytes. */
export const LINE_LIMIT_BYTES = 16 * 1_048_576;

/** Stands for a line that was longer than {@link LINE_LIMIT_BYTES} and was dropped. */
export const TOO_LONG = Symbol("line too long");

const NEWLINE = 0x0a;

/**
 * Splits bytes into lines. Yields the lines that each chunk completes, so that a caller who waits for an answer gets it. Holds at
 * most one line in memory.
 */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<readonly (Buffer | typeof TOO_LONG)[]> {
  let held: Buffer[] = [];
  let size = 0;
  let dropped = false;

  const finish = (tail: Buffer): Buffer | typeof TOO_LONG => {
    const whole = held.length === 0 ? tail : Buffer.concat([...held, tail]);
    const result = dropped || whole.length > LINE_LIMIT_BYTES ? TOO_LONG : whole;
    held = [];
    size = 0;
    dropped = false;
    return result;
  };

  for await (const chunk of chunks) {
    const lines: (Buffer | typeof TOO_LONG)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(finish(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) {
      const rest = chunk.subarray(start);
      size += rest.length;
      if (size > LINE_LIMIT_BYTES) {
        dropped = true;
        held = [];
      } else held.push(rest);
    }
    yield lines;
  }
  if (size > 0) yield [finish(Buffer.alloc(0))];
}
