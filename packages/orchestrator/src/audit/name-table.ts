/** Names, each kept once and known by a number. */
export interface NameTable {
  readonly size: number;
  /** The number of a name; a name that is new gets the next one. */
  add(name: string | null | undefined): number;
  /** The number of a name that is known; -1 for another. */
  find(name: string): number;
  /** `null` for the number of no name. */
  at(number: number): string | null;
}

/** No name. */
export const NONE = -1;
/** Longer names of whoever asks are the same where they begin the same. */
const LONGEST = 256;

export function createNameTable(): NameTable {
  const numbers = new Map<string, number>();
  const names: string[] = [];
  const cut = (name: string): string => (name.length > LONGEST ? name.slice(0, LONGEST) : name);
  return {
    get size() {
      return names.length;
    },
    add(name) {
      if (name === null || name === undefined) return NONE;
      const key = cut(name);
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, names.length);
      return names.push(key) - 1;
    },
    find: (name) => numbers.get(cut(name)) ?? NONE,
    at: (number) => names[number] ?? null,
  };
}
