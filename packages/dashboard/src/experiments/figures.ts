// The page loads this file, so it imports nothing that needs Node.

/** The difference between two samples, with its 95 % interval. */
export interface Difference {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

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

/** One figure under both versions. */
export interface ComparedFigure {
  readonly figure: Figure;
  readonly a: { readonly units: number; readonly value: number | null };
  readonly b: { readonly units: number; readonly value: number | null };
  /** `b - a`. Null if a version has no such figure. */
  readonly difference: Difference | null;
  readonly verdict: "difference" | "no_difference" | "not_enough_data";
  /** How many units each version needs to show a difference of `of`. */
  readonly needed: { readonly units: number; readonly of: number } | null;
}

/** The figures of an experiment's tasks. */
export interface ComparedExperiment {
  readonly experiment: string;
  readonly tasks: { readonly a: number; readonly b: number };
  /** The digests of what each version decided by. Several if its files changed meanwhile. */
  readonly digests: { readonly a: readonly string[]; readonly b: readonly string[] };
  readonly figures: readonly ComparedFigure[];
}

/** The experiments of a store, as far as they were read. */
export interface ExperimentsSeen {
  /** How many runs count, and how many there are. */
  readonly runs: { readonly counted: number; readonly all: number };
  /** How many events of the counted runs were read, and how many they have. */
  readonly events: { readonly read: number; readonly all: number };
  /** How many tasks of a version count, if some were left out because there are more; else `null`. */
  readonly most_tasks: number | null;
  /** Why some runs count only in part. */
  readonly broken: readonly string[];
  /** `null` while events are left to read. */
  readonly experiments: readonly ComparedExperiment[] | null;
}

/** Each figure in a row: its name, its value in a and in b, the difference, its interval, and what that shows. */
export const figureRows = (figures: readonly ComparedFigure[]): readonly (readonly string[])[] =>
  figures.map((compared) => {
    const { figure, a, b, difference } = compared;
    const range =
      difference === null ? "-" : `${rounded(difference.low)} to ${rounded(difference.high)}`;
    return [
      ...[FIGURES[figure].name, rounded(a.value), rounded(b.value)],
      ...[rounded(difference?.value ?? null), range, verdictText(compared)],
    ];
  });

/** What a comparison shows, in words. */
export function verdictText({ figure, a, b, difference, verdict, needed }: ComparedFigure): string {
  const { name, less, more } = FIGURES[figure];
  if (verdict === "no_difference") return "no difference shown";
  if (verdict === "difference")
    return `b has ${(difference?.value ?? 0) < 0 ? less : more} ${name.replace(" (s)", "")}`;
  const counts = `not enough data: ${a.units} and ${b.units}`;
  return needed === null
    ? `${counts}, at least 10 each needed`
    : `${counts}, about ${needed.units} each show ±${rounded(needed.of)}`;
}

/** How many tasks each version has. */
export const tasksText = ({ tasks }: ComparedExperiment): string =>
  `per task, over ${tasks.a} in a and ${tasks.b} in b`;

/** The versions whose files changed during the experiment. */
export const changesText = ({ digests }: ComparedExperiment): readonly string[] =>
  (["a", "b"] as const)
    .filter((version) => digests[version].length > 1)
    .map(
      (version) =>
        `version ${version} changed during the experiment: ${digests[version].length} digests`,
    );

/** Three significant digits, without an exponent. */
function rounded(value: number | null): string {
  if (value === null) return "-";
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}
