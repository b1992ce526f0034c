/** Counts what is on its way. A Set of it that stays would be {@link Passing} too. */
export class Underway {
  #count = 0;
  // Of this time, since when nothing was, and of the time before.
  #most = 0;
  #mostBefore = 0;
  #waiting: (() => void)[] = [];

  /** Whether nothing is. */
  get none(): boolean {
    return this.#count === 0;
  }

  /** Whether several things are at once, or were the last time that anything was. */
  get several(): boolean {
    return this.#most > 1 || this.#mostBefore > 1;
  }

  begin(): void {
    this.#count += 1;
    if (this.#count > this.#most) this.#most = this.#count;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    this.#mostBefore = this.#most;
    this.#most = 0;
    for (const tell of this.#waiting.splice(0)) tell();
  }

  /** Resolves when nothing is on its way. */
  over(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count === 0) resolve();
      else this.#waiting.push(resolve);
    });
  }
}
