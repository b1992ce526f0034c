/** The difference between two samples, with its 95 % interval. */
export interface Difference {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

type Sample = ArrayLike<number>;
export type Statistic = (sample: Sample) => number;

export function mean(sample: Sample): number {
  let sum = 0;
  for (let index = 0; index < sample.length; index += 1) sum += sample[index] ?? 0;
  return sum / sample.length;
}

/** The middle value, or the mean of the two in the middle. */
export function median(sample: Sample): number {
  const sorted = Float64Array.from(sample).sort();
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? Number.NaN) + (sorted[Math.floor(half)] ?? 0)) / 2;
}

/** The standard deviation that a sample suggests for what it was drawn from. */
export function deviation(sample: readonly number[]): number {
  const middle = mean(sample);
  const squares = sample.map((value) => (value - middle) ** 2);
  return Math.sqrt(mean(squares) * (sample.length / (sample.length - 1)));
}

const RESAMPLES = { most: 2_000, least: 200, draws: 20_000_000 } as const;

/**
 * The difference `b - a` of a statistic, with the 95 % interval of a percentile bootstrap. The random numbers are always the same, so the
 * same samples give the same interval. `paired`: the samples are about the same units in the same order.
 */
export function differenceOf(
  a: Sample,
  b: Sample,
  { statistic, paired = false }: { readonly statistic: Statistic; readonly paired?: boolean },
): Difference {
  const random = randomNumbers();
  const { most, least, draws } = RESAMPLES;
  const times = Math.min(most, Math.max(least, Math.floor(draws / (a.length + b.length))));
  const places = new Uint32Array(Math.max(a.length, b.length));
  const resampled = (sample: Sample, into: Float64Array, anew: boolean): number => {
    for (let index = 0; index < sample.length; index += 1) {
      if (anew) places[index] = Math.floor(random() * sample.length);
      into[index] = sample[places[index] ?? 0] ?? Number.NaN;
    }
    return statistic(into);
  };
  const [ofA, ofB] = [new Float64Array(a.length), new Float64Array(b.length)];
  const differences = new Float64Array(times);
  for (let index = 0; index < times; index += 1) {
    const before = resampled(a, ofA, true);
    differences[index] = resampled(b, ofB, !paired) - before;
  }
  differences.sort();
  const at = (share: number): number => differences[Math.round(share * (times - 1))] ?? Number.NaN;
  return { value: statistic(b) - statistic(a), low: at(0.025), high: at(0.975) };
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
