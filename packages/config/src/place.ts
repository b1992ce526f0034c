/** A line and column of a text. Both count from 1; columns count UTF-16 code units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Finds the line and column of an offset, with LF and CRLF line breaks. */
export function placeOf(text: string, offset: number): Place {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", start)) {
    line++;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}
