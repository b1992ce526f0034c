import type { Frame } from "./frame.ts";

/** How many events to read at once, by how large they were lately: a log may hold events of a megabyte each. */
export interface Paging {
  readonly limit: number;
  saw(frames: readonly Frame[]): void;
}

/** Before anything is known of the events. */
const FIRST = 16;

/** `chars`: how much a page should hold. `most`: events of it. */
export function createPaging({
  chars,
  most,
}: {
  readonly chars: number;
  readonly most: number;
}): Paging {
  let limit = Math.min(FIRST, most);
  return {
    get limit() {
      return limit;
    },
    saw(frames) {
      if (frames.length === 0) return;
      const mean = frames.reduce((sum, { data }) => sum + data.length, 0) / frames.length;
      // Slowly upwards: the next events may be larger than the last ones.
      limit = Math.max(1, Math.min(most, limit * 4, Math.floor(chars / mean)));
    },
  };
}
