/** How many streams one caller may have on this node, and all callers together. */
const OF_ONE = 16;
const OF_ALL = 10_000;

export class StreamLimit {
  readonly #open = new Map<string, number>();
  #all = 0;

  /** Takes a place for a caller and returns the function that frees it. `undefined` if there is none. */
  enter(who: string): (() => void) | undefined {
    const own = this.#open.get(who) ?? 0;
    if (own >= OF_ONE || this.#all >= OF_ALL) return undefined;
    this.#change(who, 1);
    let left = false;
    return () => {
      if (!left) this.#change(who, -1);
      left = true;
    };
  }

  #change(who: string, by: number): void {
    const own = (this.#open.get(who) ?? 0) + by;
    if (own === 0) this.#open.delete(who);
    else this.#open.set(who, own);
    this.#all += by;
  }
}
