/** A position in a text. Both numbers count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Returns a function that finds the place of an offset. The lines are counted at its first call. */
export function placesIn(text: string): (offset: number) => TextPlace {
  let lines: readonly number[] | undefined;
  return (offset) => {
    lines ??= lineStarts(text);
    let low = 0;
    let high = lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lines[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (lines[low] ?? 0) + 1 };
  };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
