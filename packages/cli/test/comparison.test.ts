import { array, assert, nat, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { differenceOf, mean, median } from "../src/experiment/bootstrap.ts";
import { compareUnits, type ComparedFigure, type Unit } from "../src/experiment/comparison.ts";
import { verdictText } from "../src/experiment/comparison-text.ts";

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

const compared = (a: readonly number[], b: readonly number[], paired = false): ComparedFigure => {
  const [figure] = compareUnits({ a: asked(a), b: asked(b) }, { paired });
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
  ])("covers the true difference of $of about 95 % of the time", ({ statistic, draw, truth }) => {
    const random = randomFrom(26);
    let covered = 0;
    for (let run = 0; run < EXPERIMENTS; run += 1) {
      const a = sample(40, () => draw(random, 0));
      const b = sample(40, () => draw(random, truth));
      const { low, high } = differenceOf(a, b, { statistic });
      if (low <= truth && truth <= high) covered += 1;
    }
    expect(covered / EXPERIMENTS).toBeGreaterThan(0.92);
    expect(covered / EXPERIMENTS).toBeLessThan(0.985);
  });

  test("is the same each time, and contains the difference of the samples' means in its middle", () => {
    const counts = array(nat(50), { minLength: 2, maxLength: 30 });
    assert(
      property(counts, counts, (a, b) => {
        const found = differenceOf(a, b, { statistic: mean });
        expect(found).toEqual(differenceOf(a, b, { statistic: mean }));
        expect(found.value).toBeCloseTo(mean(b) - mean(a));
        expect(found.low).toBeLessThanOrEqual(found.high);
      }),
      { numRuns: 20 },
    );
  });

  test("is narrow for the same units under both variants, however much they differ from each other", () => {
    const a = sample(20, randomFrom(1)).map((value) => Math.round(1_000 * value));
    const b = a.map((value) => value + 1);
    expect(differenceOf(a, b, { statistic: mean, paired: true })).toEqual({
      ...{ value: expect.closeTo(1) as number, low: 1, high: 1 },
    });
    const { low, high } = differenceOf(a, b, { statistic: mean });
    expect(low).toBeLessThan(-50);
    expect(high).toBeGreaterThan(50);
  });
});

describe("the verdict", () => {
  test("shows a difference of a against a in about 5 % of experiments at most", () => {
    const random = randomFrom(7);
    let shown = 0;
    for (let run = 0; run < EXPERIMENTS; run += 1) {
      const [a, b] = [0, 0].map(() => sample(40, () => happenings(2, random)));
      if (a !== undefined && b !== undefined && compared(a, b).verdict === "difference") shown += 1;
    }
    expect(shown / EXPERIMENTS).toBeLessThanOrEqual(0.08);
  });

  test("finds a difference of the size that it says the data is enough for in most experiments", () => {
    const random = randomFrom(3);
    const { needed } = compared(
      sample(40, () => happenings(2, random)),
      sample(40, () => happenings(2, random)),
    );
    const units = needed?.units ?? 0;
    let shown = 0;
    for (let run = 0; run < EXPERIMENTS; run += 1) {
      const a = sample(units, () => happenings(2, random));
      const b = sample(units, () => happenings(2 - (needed?.of ?? 0), random));
      if (compared(a, b).verdict === "difference") shown += 1;
    }
    expect(shown / EXPERIMENTS).toBeGreaterThan(0.7);
  });

  test("says when there is not enough data, and about how much is needed", () => {
    const few = compared([2, 0, 1], [0, 1]);
    expect(few.verdict).toBe("not_enough_data");
    expect(verdictText(few)).toMatch(/^not enough data: 3 and 2, about \d+ each show ±0\.5$/);
    expect(verdictText(compared([1, 2], []))).toBe(
      "not enough data: 2 and 0, at least 10 each needed",
    );
  });

  test("says that no difference is shown only if there is enough data for one", () => {
    const random = randomFrom(11);
    const counts = sample(200, () => happenings(2, random));
    expect(compared(counts, counts).verdict).toBe("no_difference");
    const rare = sample(12, (_ = 0) => 0).map((value, at) => (at === 0 ? 3 : value));
    expect(compared(rare, rare.toReversed()).verdict).toBe("not_enough_data");
  });

  test("names the variant and the direction", () => {
    const [a, b] = [sample(30, () => 3), sample(30, () => 1)];
    expect(verdictText(compared(a, b))).toBe("b has fewer questions");
    expect(verdictText(compared(b, a))).toBe("b has more questions");
    expect(compareUnits({ a: [], b: [] }, { paired: false })).toEqual([]);
  });
});

test("the median of an even number of values is between the two in the middle", () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([5])]).toEqual([2, 2.5, 5]);
});
