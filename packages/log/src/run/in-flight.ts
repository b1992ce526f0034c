/** Counts work that has begun and not ended. */
export class InFlight {
  #count = 0;
  // The most at once since nothing was in flight, and in the period before that.
  #most = 0;
  #mostBefore = 0;
  #waiting: (() => void)[] = [];

  /** Whether nothing is in flight. */
  get none(): boolean {
    return this.#count === 0;
  }

  /** Whether several pieces of work are in flight at once, or were the last time that any was. */
  get several(): boolean {
    return this.#most > 1 || this.#mostBefore > 1;
  }

  begin(): void {
    this.#count += 1;
    this.#most = Math.max(this.#most, this.#count);
  }

  end(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    this.#mostBefore = this.#most;
    this.#most = 0;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Counts work until it settles. */
  track<T>(work: Promise<T>): Promise<T> {
    this.begin();
    const done = (): void => this.end();
    work.then(done, done);
    return work;
  }

  /** Resolves when nothing is in flight. */
  over(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count === 0) resolve();
      else this.#waiting.push(resolve);
    });
  }
}
