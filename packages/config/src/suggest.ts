/** The nearest of `names` to a misspelt one, or nothing when none is near. */
export function suggest(wrong: string, names: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(wrong.length / 3));
  let best: string | undefined;
  let least = limit + 1;
  for (const name of names) {
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase(), least);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

// Edits, and swaps of neighbours, which are one slip of the fingers.
function editDistance(left: string, right: string, bound: number): number {
  if (Math.abs(left.length - right.length) >= bound) return bound;
  let above: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const swaps = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swapped = swaps ? (above[column - 2] ?? 0) + 1 : Infinity;
      current.push(Math.min(replaced, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = previous;
    previous = current;
  }
  return previous.at(-1) ?? bound;
}
