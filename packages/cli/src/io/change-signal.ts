/** Waits for a change that somebody tells of, and no longer than a time where nobody does. */
export class ChangeSignal {
  #changed = false;
  #wake = (): void => {};

  readonly tell = (): void => {
    this.#changed = true;
    this.#wake();
  };

  /** Resolves at a change since the last call, or after so many milliseconds. */
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
