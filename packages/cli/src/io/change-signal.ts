/** Waits for a change, for a limited time. */
export class ChangeSignal {
  #changed = false;
  #wake = (): void => {};

  readonly tell = (): void => {
    this.#changed = true;
    this.#wake();
  };

  /** Resolves on the first change since the last call, or after this many milliseconds. */
  async wait(milliseconds: number): Promise<void> {
    if (!this.#changed)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#wake = () => {};
    this.#changed = false;
  }
}
