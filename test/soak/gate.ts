/** Lets workers continue, or stops each of them between two actions. */
export class Gate {
  readonly #workers: number;
  #waiting = 0;
  #ended = 0;
  #open: Promise<void> = Promise.resolve();
  #release: () => void = () => {};
  #parked: () => void = () => {};

  constructor(workers: number) {
    this.#workers = workers;
  }

  /** Called by a worker before each action. */
  async enter(): Promise<void> {
    this.#waiting += 1;
    if (this.#waiting + this.#ended === this.#workers) this.#parked();
    await this.#open;
    this.#waiting -= 1;
  }

  /** Called by a worker that ends. */
  leave(): void {
    this.#ended += 1;
    if (this.#waiting + this.#ended === this.#workers) this.#parked();
  }

  /** Resolves once every worker waits. */
  async close(): Promise<void> {
    this.#open = new Promise((resolve) => (this.#release = resolve));
    if (this.#waiting + this.#ended === this.#workers) return;
    await new Promise<void>((resolve) => (this.#parked = resolve));
    this.#parked = () => {};
  }

  open(): void {
    this.#release();
  }
}
