/** Counts what is on its way. A Set of it that stays would be {@link Passing} too. */
export class Underway {
  #count = 0;
  #waiting: (() => void)[] = [];

  /** Whether nothing is. */
  get none(): boolean {
    return this.#count === 0;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
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
