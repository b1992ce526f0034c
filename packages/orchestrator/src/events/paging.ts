import type { Frame } from "./frame.ts";

/** Before anything is known of the events. */
const FIRST = 16;

/** How many events to read at once, by the size of the last ones: a log may hold events of a megabyte each. */
export class Paging {
  readonly #chars: number;
  readonly #most: number;
  limit: number;

  /** `chars`: how much a page should hold. `most`: events of it. */
  constructor({ chars, most }: { readonly chars: number; readonly most: number }) {
    this.#chars = chars;
    this.#most = most;
    this.limit = Math.min(FIRST, most);
  }

  saw(frames: readonly Frame[]): void {
    if (frames.length === 0) return;
    const mean = frames.reduce((sum, { data }) => sum + data.length, 0) / frames.length;
    // Slowly upwards: the next events may be larger than the last ones.
    this.limit = Math.max(1, Math.min(this.#most, this.limit * 4, Math.floor(this.#chars / mean)));
  }
}
