/** Counts how long answers took. Memory is bounded, because times are kept with two significant digits. */
export class WaitTimes {
  readonly #counts = new Map<number, number>();
  #total = 0;
  #longest = 0;

  add(milliseconds: number): void {
    // A clock that was set back must not make a wait negative.
    const seconds = Math.max(0, milliseconds) / 1_000;
    const rounded = Number(seconds.toPrecision(2));
    this.#counts.set(rounded, (this.#counts.get(rounded) ?? 0) + 1);
    this.#total += 1;
    this.#longest = Math.max(this.#longest, seconds);
  }

  /** In seconds, with two significant digits. The lower one of two in the middle. */
  get median(): number {
    let left = Math.ceil(this.#total / 2);
    for (const [seconds, times] of [...this.#counts].sort(([one], [other]) => one - other)) {
      left -= times;
      if (left <= 0) return seconds;
    }
    return 0;
  }

  /** In seconds. */
  get longest(): number {
    return this.#longest;
  }
}
