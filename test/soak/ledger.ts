/** Records what clients were told, what went wrong, and how often things happened. */
export class Ledger {
  readonly #acknowledged = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #faults = new Map<string, number>();

  /** Records that the server acknowledged an action. `log-check.ts` uses the same name for the action's event. */
  acknowledge(what: string): void {
    this.#acknowledged.add(what);
    this.count("acknowledged");
  }

  /** Everything acknowledged since the last call. */
  takeAcknowledged(): ReadonlySet<string> {
    const taken = new Set(this.#acknowledged);
    this.#acknowledged.clear();
    return taken;
  }

  count(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  counted(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  fault(text: string): void {
    this.#faults.set(text, (this.#faults.get(text) ?? 0) + 1);
  }

  /** Each fault once, with its number of occurrences. */
  faults(): readonly string[] {
    return [...this.#faults].map(([text, times]) =>
      times === 1 ? text : `${text} (${times} times)`,
    );
  }
}

/** A seeded source of numbers from 0 to 1, the same on every machine. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
