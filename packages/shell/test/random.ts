/** A reproducible source of numbers between 0 and 1. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Generates texts of up to `most` parts each. */
export function randomFrom(
  seed: number,
  count: number,
  parts: readonly string[],
  most: number,
): string[] {
  const next = numbers(seed);
  return Array.from({ length: count }, () => {
    let text = "";
    for (let left = 1 + Math.floor(next() * most); left > 0; left--)
      text += parts[Math.floor(next() * parts.length)] ?? "";
    return text;
  });
}
