import { VARIANTS, type Variant } from "@bylaw/log/experiment";
import { deviation, differenceOf, mean, median, type Difference } from "./bootstrap.ts";

/** What is compared, with the words for less of it and more of it. */
export const FIGURES = {
  completed: { name: "completed tasks", less: "fewer", more: "more" },
  time: { name: "time to complete (s)", less: "less", more: "more" },
  blocked: { name: "blocked transitions", less: "fewer", more: "more" },
  escalations: { name: "escalations", less: "fewer", more: "more" },
  questions: { name: "questions", less: "fewer", more: "more" },
  denials: { name: "denials", less: "fewer", more: "more" },
} as const;
export type Figure = keyof typeof FIGURES;

/** The figures of one task or run. */
export type Unit = { readonly [Name in Figure]?: number };

/** One figure under both variants. */
export interface ComparedFigure {
  readonly figure: Figure;
  readonly a: { readonly units: number; readonly value: number | null };
  readonly b: { readonly units: number; readonly value: number | null };
  /** `b - a`. Null if a variant has no such figure. */
  readonly difference: Difference | null;
  readonly verdict: "difference" | "no_difference" | "not_enough_data";
  /** How many units each variant needs to show a difference of `of`. */
  readonly needed: { readonly units: number; readonly of: number } | null;
}

/** With fewer units than this, the interval would be narrower than it should be. */
const LEAST = 10;

/** z for 95 % confidence plus z for finding a difference that exists in 80 % of the cases, squared. */
const CONFIDENCE_AND_POWER = (1.96 + 0.84) ** 2;

/** The median of a sample varies more than its mean. */
const MEDIAN_VARIANCE = Math.PI / 2;

/** Compares the figures that units have. `paired`: the units of both variants are the same, in the same order. */
export const compareUnits = (
  units: Readonly<Record<Variant, readonly Unit[]>>,
  options: { readonly paired: boolean },
): readonly ComparedFigure[] =>
  (Object.keys(FIGURES) as Figure[]).flatMap((figure) => {
    const [a, b] = VARIANTS.map((variant) => units[variant].flatMap((unit) => unit[figure] ?? []));
    return a === undefined || b === undefined || a.length + b.length === 0
      ? []
      : [compareFigure(figure, a, b, options)];
  });

function compareFigure(
  figure: Figure,
  a: readonly number[],
  b: readonly number[],
  { paired }: { readonly paired: boolean },
): ComparedFigure {
  const statistic = figure === "time" ? median : mean;
  const side = (sample: readonly number[]): ComparedFigure["a"] => ({
    units: sample.length,
    value: sample.length === 0 ? null : statistic(sample),
  });
  const sides = { figure, a: side(a), b: side(b) };
  const least = Math.min(a.length, b.length);
  if (least === 0) return { ...sides, difference: null, verdict: "not_enough_data", needed: null };
  const difference = differenceOf(a, b, { statistic, paired });
  const needed = neededFor(figure, a, b, paired);
  const shown = difference.low > 0 || difference.high < 0;
  const enough = least >= LEAST && (shown || least >= (needed?.units ?? LEAST));
  const verdict = !enough ? "not_enough_data" : shown ? "difference" : "no_difference";
  return { ...sides, difference, verdict, needed };
}

/** How many units each variant needs to show that a figure changes by half. */
function neededFor(
  figure: Figure,
  a: readonly number[],
  b: readonly number[],
  paired: boolean,
): ComparedFigure["needed"] {
  const of = (figure === "time" ? median(a) : mean(a)) / 2;
  if (of === 0 || Math.min(a.length, b.length) < 2) return null;
  const variance = paired
    ? deviation(b.map((value, index) => value - (a[index] ?? 0))) ** 2
    : deviation(a) ** 2 + deviation(b) ** 2;
  const units = (CONFIDENCE_AND_POWER * variance) / of ** 2;
  const all = Math.ceil(figure === "time" ? units * MEDIAN_VARIANCE : units);
  return { units: Math.max(LEAST, all), of };
}
