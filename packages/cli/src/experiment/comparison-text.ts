import type { Paint } from "../io/text.ts";
import type { Table } from "../report/table.ts";
import { tableText } from "../report/table-text.ts";
import { FIGURES, type ComparedFigure } from "./comparison.ts";

/** The comparison as a table. */
export const comparisonTable = (title: string, figures: readonly ComparedFigure[]): Table => ({
  title,
  columns: ["figure", "a", "b", "b - a", "95 % interval", "verdict"],
  rows: figures.map((compared) => {
    const { figure, a, b, difference } = compared;
    const range =
      difference === null ? "-" : `${rounded(difference.low)} to ${rounded(difference.high)}`;
    return [
      ...[FIGURES[figure].name, rounded(a.value), rounded(b.value)],
      ...[rounded(difference?.value ?? null), range, verdictText(compared)],
    ];
  }),
});

export const comparisonText = (
  title: string,
  figures: readonly ComparedFigure[],
  paint: Paint,
): string => tableText(comparisonTable(title, figures), paint);

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

/** Three significant digits, without an exponent. */
function rounded(value: number | null): string {
  if (value === null) return "-";
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}
