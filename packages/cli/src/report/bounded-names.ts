/** The most names that a report tells apart. A log can hold millions of different ones. */
export const MAX_NAMES = 10_000;

/** Counts under names. Everything beyond the first {@link MAX_NAMES} names counts as `(others)`. */
export class BoundedNames<Count> {
  readonly #counts = new Map<string, Count>();
  readonly #initial: () => Count;

  constructor(initial: () => Count) {
    this.#initial = initial;
  }

  /** The count under a name, to be changed in place. */
  of(given: string): Count {
    const full = this.#counts.size >= MAX_NAMES && !this.#counts.has(given);
    const name = full ? "(others)" : given;
    let count = this.#counts.get(name);
    if (count === undefined) this.#counts.set(name, (count = this.#initial()));
    return count;
  }

  /** All names, in the order in which they were first seen. */
  get entries(): readonly (readonly [string, Count])[] {
    return [...this.#counts];
  }
}
