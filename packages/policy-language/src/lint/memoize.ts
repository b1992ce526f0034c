// More texts than a policy has; whoever looks at many policies does not keep them all.
const MOST = 100_000;

/** The same function, which works out each text once. */
export function memoize<T>(work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= MOST) known.clear();
    const result = work(text);
    known.set(text, result);
    return result;
  };
}
