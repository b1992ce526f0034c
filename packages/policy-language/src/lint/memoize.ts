// More texts than one policy has. The limit keeps memory bounded when many policies are linted.
const MAX_TEXTS = 100_000;

/** Caches the result of a function for each text. */
export function memoize<T>(work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= MAX_TEXTS) known.clear();
    const result = work(text);
    known.set(text, result);
    return result;
  };
}
