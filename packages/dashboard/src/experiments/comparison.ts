import { VARIANTS, type Variant } from "@bylaw/log/experiment";
import { deviation, differenceOf, mean, median } from "./bootstrap.ts";
import { FIGURES, type ComparedFigure, type Figure, type Unit } from "./figures.ts";

/** With fewer units than this, the interval would be narrower than it should be. */
const MIN_UNITS = 10;

/** z for 95 % confidence plus z for finding a difference that exists in 80 % of the cases, squared. */
const CONFIDENCE_AND_POWER = (1.96 + 0.84) ** 2;

/** The median of a sample varies more than its mean. */
const MEDIAN_VARIANCE = Math.PI / 2;

/**
 * Compares the figures that units have. `paired`: the units of both versions are the same, in the same order. Their times are not compared.
 */
export async function compareUnits(
  units: Readonly<Record<Variant, readonly Unit[]>>,
  { paired }: { readonly paired: boolean },
): Promise<readonly ComparedFigure[]> {
  const compared: ComparedFigure[] = [];
  for (const figure of Object.keys(FIGURES) as Figure[]) {
    const [a = [], b = []] = VARIANTS.map((variant) =>
      units[variant].flatMap((unit) => unit[figure] ?? []),
    );
    if (a.length + b.length > 0) compared.push(await compareFigure(figure, a, b, paired));
  }
  return compared;
}

async function compareFigure(
  figure: Figure,
  a: readonly number[],
  b: readonly number[],
  paired: boolean,
): Promise<ComparedFigure> {
  const statistic = figure === "time" ? median : mean;
  const side = (sample: readonly number[]): ComparedFigure["a"] => ({
    units: sample.length,
    value: sample.length === 0 ? null : statistic.of(sample.toSorted((one, other) => one - other)),
  });
  const sides = { figure, a: side(a), b: side(b) };
  const least = Math.min(a.length, b.length);
  if (least === 0) return { ...sides, difference: null, verdict: "not_enough_data", needed: null };
  const changes = b.map((value, index) => value - (a[index] ?? 0));
  // The mean of what changed in each unit varies less than the means of both samples.
  const difference = await (paired
    ? differenceOf([0], changes, mean)
    : differenceOf(a, b, statistic));
  const variance = paired ? deviation(changes) ** 2 : deviation(a) ** 2 + deviation(b) ** 2;
  const needed = neededFor(figure, sides.a, least, variance);
  const shown = difference.low > 0 || difference.high < 0;
  const enough = least >= MIN_UNITS && (shown || least >= (needed?.units ?? MIN_UNITS));
  const verdict = !enough ? "not_enough_data" : shown ? "difference" : "no_difference";
  return { ...sides, difference, verdict, needed };
}

/** How many units each version needs to show that a figure changes by half. */
function neededFor(
  figure: Figure,
  { value }: ComparedFigure["a"],
  least: number,
  variance: number,
): ComparedFigure["needed"] {
  const of = (value ?? 0) / 2;
  if (of === 0 || least < 2) return null;
  const units = (CONFIDENCE_AND_POWER * variance) / of ** 2;
  const all = Math.ceil(figure === "time" ? units * MEDIAN_VARIANCE : units);
  return { units: Math.max(MIN_UNITS, all), of };
}
