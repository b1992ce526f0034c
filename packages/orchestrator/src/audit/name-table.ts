/** The number of no name. */
export const NONE = -1;
/** Longer names are the same if they begin the same. */
const LONGEST = 256;

/** Names, each kept once and known by a number. */
export class NameTable {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];

  get size(): number {
    return this.#names.length;
  }

  /** The number of a name; a name that is new gets the next one. */
  add(name: string | null | undefined): number {
    if (name === null || name === undefined) return NONE;
    const key = name.slice(0, LONGEST);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#names.length);
    return this.#names.push(key) - 1;
  }

  /** The number of a name that is known; -1 for another. */
  find(name: string): number {
    return this.#numbers.get(name.slice(0, LONGEST)) ?? NONE;
  }

  /** `null` for the number of no name. */
  at(number: number): string | null {
    return this.#names[number] ?? null;
  }
}
