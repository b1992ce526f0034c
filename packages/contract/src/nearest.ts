/** The known word that was probably meant, or nothing when none is near. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const cost = candidate === word ? least : edits(wanted, candidate.slice(0, 64).toLowerCase());
    if (cost < least) [best, least] = [candidate, cost];
  }
  return best;
}

/** "did you mean" for a misspelt word, or else the advice that is given. */
export function meant(word: string, known: Iterable<string>, otherwise?: string): string | undefined {
  const near = nearest(word, known);
  return near === undefined ? otherwise : `did you mean \`${near}\`?`;
}

function edits(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const changed = (row[j - 1] ?? 0) + Number(left[i - 1] !== right[j - 1]);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
