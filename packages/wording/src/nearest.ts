/** Comparing takes time in the product of the lengths, so longer words are near to none, and no more words than these are looked at. */
const LONGEST = 100;
const MOST = 1_000;

/**
 * The known word that was probably meant, or nothing where none is near: at most a third of the letters may differ, and a swap of
 * neighbours is one difference. Case and separators count nothing, but a word that differs in nothing else goes first.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  const wanted = flat(word);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  let seen = 0;
  for (const candidate of known) {
    if ((seen += 1) > MOST) break;
    if (candidate === word || candidate.length > LONGEST) continue;
    const cost = differences(wanted, flat(candidate), least);
    if (cost < least) [best, least] = [candidate, cost];
  }
  return best;
}

/** The advice for a misspelt word, or nothing where no known word is near. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const near = nearest(word, known);
  return near === undefined ? undefined : `Did you mean \`${near}\`?`;
}

// A word of signs alone is compared by its signs.
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
