/** The nearest of `names` to a misspelt one, or nothing where none is near. */
export function nearest(wrong: string, names: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(wrong.length / 3));
  let best: string | undefined;
  let least = limit + 1;
  for (const name of names) {
    if (Math.abs(name.length - wrong.length) >= least) continue;
    const edits = editsBetween(wrong.toLowerCase(), name);
    if (edits >= least) continue;
    least = edits;
    best = name;
  }
  return best;
}

function editsBetween(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const kept = (above[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(kept, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above.at(-1) ?? left.length;
}
