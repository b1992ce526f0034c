import { figureRows, type ComparedFigure } from "@bylaw/dashboard";
import type { Paint } from "../io/text.ts";
import { tableText } from "../report/table-text.ts";

const COLUMNS = ["figure", "a", "b", "b - a", "95 % interval", "verdict"];

/** The comparison as a table. */
export const comparisonText = (
  title: string,
  figures: readonly ComparedFigure[],
  paint: Paint,
): string => tableText({ title, columns: COLUMNS, rows: figureRows(figures) }, paint);
