/**
 * The limits of a comparison, whose time grows with the product of the lengths. Longer words match none, and further words of a
 * list are ignored.
 */
const MAX_LENGTH = 100;
const MAX_CANDIDATES = 1_000;

/**
 * Returns the known word that was probably intended. Undefined if none is near: at most a third of the letters may differ, and a
 * swap of neighbours counts as one difference. Case and separators are ignored, but a word with no other difference is preferred.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const wanted = flat(word);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  let seen = 0;
  for (const candidate of known) {
    if ((seen += 1) > MAX_CANDIDATES) break;
    if (candidate === word || candidate.length > MAX_LENGTH) continue;
    const cost = differences(wanted, flat(candidate), least);
    if (cost < least) [best, least] = [candidate, cost];
  }
  return best;
}

/** Suggests the nearest known word. Undefined if none is near. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const near = nearest(word, known);
  return near === undefined ? undefined : `Did you mean \`${near}\`?`;
}

// A word without letters or digits is compared by its other characters.
function flat(word: string): string {
  const lower = word.toLowerCase();
  const letters = lower.replace(/[^\p{L}\p{N}]/gu, "");
  return letters === "" ? lower : letters;
}

function differences(left: string, right: string, bound: number): number {
  if (Math.abs(left.length - right.length) >= bound) return bound;
  let above: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const swap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const swapped = swap ? (above[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [above, row] = [row, next];
  }
  return row[right.length] ?? bound;
}
