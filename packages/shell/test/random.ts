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

/** The commands of a random script. */
export interface ScriptParts {
  /** The names and lists of its loops: `f in a b`. */
  readonly loops: readonly string[];
  readonly simple: readonly string[];
  /** Used less often. */
  readonly odd: readonly string[];
}

/** Generates a script that ends: commands in lists, loops, functions and subshells, nested up to `depth`. */
export function randomScript(
  next: () => number,
  depth: number,
  partsOf: (pick: <T>(items: readonly T[]) => T) => ScriptParts,
): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
  const { loops, simple, odd } = partsOf(pick);
  if (depth === 0) return pick(next() < 0.25 ? odd : simple);
  const inner = (): string => randomScript(next, depth - 1, partsOf);
  return pick([
    () => `${inner()}; ${inner()}`,
    () => `${inner()}\n${inner()}`,
    () => `${inner()} && ${inner()}`,
    () => `${inner()} || ${inner()}`,
    () => `false && ${inner()}; ${inner()}`,
    () => `for ${pick(loops)}; do ${inner()}; done`,
    () => `while [[ $n != xx ]]; do n=x$n; ${inner()}; done`,
    () => `if true; then ${inner()}; else ${inner()}; fi`,
    () => `( ${inner()} )`,
    () => `{ ${inner()}; }`,
    () => `{ h() { ${inner()}; }; ${inner()}; h; }`,
    () => `y=$(${inner()})`,
    () => `${inner()} | :`,
    () => `${inner()} & wait`,
  ])();
}
