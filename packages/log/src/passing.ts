/**
 * What comes and goes under names, thousands of times a second. For that a Map that stays is no good: whenever its size changes it leaves its
 * table for another, the old table goes on holding the new one, and once one of them is old, V8 takes everything that stands in the next
 * ones for alive until it looks through all memory. Each small collection then copies it: several times as long, in which nobody is answered.
 */
export class Passing<Value> {
  // One without a prototype has no such tables, and no key is special in it.
  readonly #values = Object.create(null) as Record<string, Value>;

  get(key: string): Value | undefined {
    return this.#values[key];
  }

  set(key: string, value: Value): void {
    this.#values[key] = value;
  }

  delete(key: string): void {
    delete this.#values[key];
  }
}
