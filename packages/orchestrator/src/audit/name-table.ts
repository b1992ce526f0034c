/** The number that stands for no name. */
export const NONE = -1;
/** Longer names count as equal if they begin with the same characters. */
const MAX_LENGTH = 256;

/** A table of names that keeps each once, under a number. */
export class NameTable {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];

  get size(): number {
    return this.#names.length;
  }

  /** Returns the number of a name. A new name gets the next number. */
  add(name: string | null | undefined): number {
    if (name === null || name === undefined) return NONE;
    const key = name.slice(0, MAX_LENGTH);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#names.length);
    return this.#names.push(key) - 1;
  }

  /** The number of a known name; -1 for any other. */
  find(name: string): number {
    return this.#numbers.get(name.slice(0, MAX_LENGTH)) ?? NONE;
  }

  /** The name for a number; `null` for `NONE`. */
  at(number: number): string | null {
    return this.#names[number] ?? null;
  }
}
