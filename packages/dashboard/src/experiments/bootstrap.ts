import { setImmediate as turnOfLoop } from "node:timers/promises";
import type { Difference } from "./figures.ts";

/** A figure of a sample. */
export interface Statistic {
  /** Whether the sample must be in ascending order. */
  readonly ordered: boolean;
  readonly of: (sample: ArrayLike<number>) => number;
}

export const mean: Statistic = {
  ordered: false,
  of(sample) {
    let sum = 0;
    for (let index = 0; index < sample.length; index += 1) sum += sample[index] ?? 0;
    return sum / sample.length;
  },
};

/** The middle value, or the mean of the two in the middle. */
export const median: Statistic = {
  ordered: true,
  of(sample) {
    const half = sample.length / 2;
    return ((sample[Math.ceil(half) - 1] ?? Number.NaN) + (sample[Math.floor(half)] ?? 0)) / 2;
  },
};

/** The standard deviation that a sample suggests for what it was drawn from. */
export function deviation(sample: readonly number[]): number {
  const middle = mean.of(sample);
  const squares = sample.map((value) => (value - middle) ** 2);
  return Math.sqrt(mean.of(squares) * (sample.length / (sample.length - 1)));
}

const RESAMPLES = { most: 2_000, least: 200, draws: 20_000_000 } as const;

/** How long other work waits at most, in milliseconds. */
const SLICE_MS = 2;

/**
 * The difference `b - a` of a statistic, with the 95 % interval of a percentile bootstrap. The random numbers are always the same, so the
 * same samples give the same interval, in whatever order.
 */
export async function differenceOf(
  a: readonly number[],
  b: readonly number[],
  statistic: Statistic,
): Promise<Difference> {
  const random = randomNumbers();
  const { most, least, draws } = RESAMPLES;
  const times = Math.min(most, Math.max(least, Math.floor(draws / (a.length + b.length))));
  const [ofA, ofB] = [new Resampler(a, statistic), new Resampler(b, statistic)];
  const differences = new Float64Array(times);
  let began = performance.now();
  for (let index = 0; index < times; index += 1) {
    const before = ofA.draw(random);
    differences[index] = ofB.draw(random) - before;
    if (performance.now() - began < SLICE_MS) continue;
    await turnOfLoop();
    began = performance.now();
  }
  differences.sort();
  const at = (share: number): number => differences[Math.round(share * (times - 1))] ?? Number.NaN;
  return { value: ofB.value - ofA.value, low: at(0.025), high: at(0.975) };
}

/** Draws samples of the same size from a sample, with replacement, and computes their figure. */
class Resampler {
  /** The figure of the values that were measured. */
  readonly value: number;
  readonly #statistic: Statistic;
  readonly #sample: Float64Array;
  readonly #drawn: Float64Array;
  readonly #times: Uint32Array;

  constructor(sample: readonly number[], statistic: Statistic) {
    this.#statistic = statistic;
    // The order of a sample must not change what is drawn.
    this.#sample = Float64Array.from(sample).sort();
    this.#drawn = new Float64Array(sample.length);
    this.#times = new Uint32Array(sample.length);
    this.value = statistic.of(this.#sample);
  }

  /** The figure of the next sample. */
  draw(random: () => number): number {
    const { length } = this.#sample;
    // Equal values can only be drawn in one way.
    if (this.#sample[0] === this.#sample[length - 1]) return this.value;
    if (this.#statistic.ordered) this.#drawInOrder(random);
    else
      for (let index = 0; index < length; index += 1)
        this.#drawn[index] = this.#sample[Math.floor(random() * length)] ?? Number.NaN;
    return this.#statistic.of(this.#drawn);
  }

  #drawInOrder(random: () => number): void {
    const { length } = this.#sample;
    this.#times.fill(0);
    for (let index = 0; index < length; index += 1) {
      const place = Math.floor(random() * length);
      this.#times[place] = (this.#times[place] ?? 0) + 1;
    }
    let at = 0;
    for (let place = 0; place < length; place += 1)
      for (let left = this.#times[place] ?? 0; left > 0; left -= 1) {
        this.#drawn[at] = this.#sample[place] ?? Number.NaN;
        at += 1;
      }
  }
}

/** Numbers from 0 to 1 by the generator mulberry32, with a fixed seed. */
function randomNumbers(): () => number {
  let state = 0x0b71a3;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
