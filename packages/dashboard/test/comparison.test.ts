import { array, assert, asyncProperty, nat } from "fast-check";
import { describe, expect, test } from "vitest";
import { differenceOf, mean, median } from "../src/experiments/bootstrap.ts";
import { compareUnits } from "../src/experiments/comparison.ts";
import { verdictText, type ComparedFigure, type Unit } from "../src/experiments/figures.ts";

/** Random numbers by a linear congruential generator, so that the tests always simulate the same experiments. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** How often something happens, by the Poisson distribution, as for questions of a task. */
function happenings(rate: number, random: () => number): number {
  let times = 0;
  for (let left = random(); left > Math.exp(-rate); left *= random()) times += 1;
  return times;
}

const sample = (length: number, draw: () => number): readonly number[] =>
  Array.from({ length }, draw);

const asked = (counts: readonly number[]): readonly Unit[] =>
  counts.map((questions) => ({ questions }));

const compared = async (
  a: readonly number[],
  b: readonly number[],
  paired = false,
): Promise<ComparedFigure> => {
  const [figure] = await compareUnits({ a: asked(a), b: asked(b) }, { paired });
  if (figure === undefined) throw new Error("no figure");
  return figure;
};

const EXPERIMENTS = 400;

describe("the interval of a difference", () => {
  test.each([
    {
      of: "counts",
      statistic: mean,
      truth: 1,
      draw: (random: () => number, more: number) => happenings(2 + more, random),
    },
    {
      of: "times",
      statistic: median,
      truth: 120,
      draw: (random: () => number, more: number) => more + 600 * random(),
    },
  ])(
    "covers the true difference of $of about 95 % of the time",
    async ({ statistic, draw, truth }) => {
      const random = randomFrom(26);
      let covered = 0;
      for (let run = 0; run < EXPERIMENTS; run += 1) {
        const a = sample(40, () => draw(random, 0));
        const b = sample(40, () => draw(random, truth));
        const { low, high } = await differenceOf(a, b, statistic);
        if (low <= truth && truth <= high) covered += 1;
      }
      expect(covered / EXPERIMENTS).toBeGreaterThan(0.92);
      expect(covered / EXPERIMENTS).toBeLessThan(0.985);
    },
  );

  test("is the same each time and in any order, and contains the difference of the samples' means in its middle", async () => {
    const counts = array(nat(50), { minLength: 2, maxLength: 30 });
    await assert(
      asyncProperty(counts, counts, async (a, b) => {
        const found = await differenceOf(a, b, mean);
        expect(found).toEqual(await differenceOf(a.toReversed(), b.toReversed(), mean));
        expect(found.value).toBeCloseTo(mean.of(b) - mean.of(a));
        expect(found.low).toBeLessThanOrEqual(found.high);
      }),
      { numRuns: 20 },
    );
  });

  test("is narrow for the same units under both versions, however much they differ from each other", async () => {
    const a = sample(20, randomFrom(1)).map((value) => Math.round(1_000 * value));
    const b = a.map((value) => value + 1);
    expect((await compared(a, b, true)).difference).toEqual({ value: 1, low: 1, high: 1 });
    const { low, high } = await differenceOf(a, b, mean);
    expect(low).toBeLessThan(-50);
    expect(high).toBeGreaterThan(50);
  });

  test("lets other work go on while many resamples are drawn", async () => {
    const many = sample(5_000, randomFrom(5));
    const timer = new Promise((resolve) => setImmediate(() => resolve("other work")));
    const order = [differenceOf(many, many, median).then(() => "interval"), timer];
    expect(await Promise.race(order)).toBe("other work");
  });
});

describe("the verdict", () => {
  test("shows a difference of a against a in about 5 % of experiments at most", async () => {
    const random = randomFrom(7);
    let shown = 0;
    for (let run = 0; run < EXPERIMENTS; run += 1) {
      const [a, b] = [0, 0].map(() => sample(40, () => happenings(2, random)));
      if (a !== undefined && b !== undefined && (await compared(a, b)).verdict === "difference")
        shown += 1;
    }
    expect(shown / EXPERIMENTS).toBeLessThanOrEqual(0.08);
  });

  test("finds a difference of the size that it says the data is enough for in most experiments", async () => {
    const random = randomFrom(3);
    const { needed } = await compared(
      sample(40, () => happenings(2, random)),
      sample(40, () => happenings(2, random)),
    );
    const units = needed?.units ?? 0;
    let shown = 0;
    for (let run = 0; run < EXPERIMENTS; run += 1) {
      const a = sample(units, () => happenings(2, random));
      const b = sample(units, () => happenings(2 - (needed?.of ?? 0), random));
      if ((await compared(a, b)).verdict === "difference") shown += 1;
    }
    expect(shown / EXPERIMENTS).toBeGreaterThan(0.7);
  });

  test("says when there is not enough data, and about how much is needed", async () => {
    const few = await compared([2, 0, 1], [0, 1]);
    expect(few.verdict).toBe("not_enough_data");
    expect(verdictText(few)).toMatch(/^not enough data: 3 and 2, about \d+ each show ±0\.5$/);
    expect(verdictText(await compared([1, 2], []))).toBe(
      "not enough data: 2 and 0, at least 10 each needed",
    );
  });

  test("says that no difference is shown only if there is enough data for one", async () => {
    const random = randomFrom(11);
    const counts = sample(200, () => happenings(2, random));
    expect((await compared(counts, counts)).verdict).toBe("no_difference");
    const rare = sample(12, (_ = 0) => 0).map((value, at) => (at === 0 ? 3 : value));
    expect((await compared(rare, rare.toReversed())).verdict).toBe("not_enough_data");
  });

  test("names the variant and the direction", async () => {
    const [a, b] = [sample(30, () => 3), sample(30, () => 1)];
    expect(verdictText(await compared(a, b))).toBe("b has fewer questions");
    expect(verdictText(await compared(b, a))).toBe("b has more questions");
    expect(await compareUnits({ a: [], b: [] }, { paired: false })).toEqual([]);
  });
});

test("the median of an even number of values is between the two in the middle", () => {
  expect([median.of([1, 2, 3]), median.of([1, 2, 3, 4]), median.of([5])]).toEqual([2, 2.5, 5]);
});
