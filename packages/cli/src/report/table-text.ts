import { short, type Paint } from "../io/text.ts";
import { cellText, numericColumns, type Table } from "./table.ts";

/** The widest cell on a terminal, in characters. */
const WIDEST = 60;

/** Formats a table for a terminal, with numbers aligned to the right. It shows at most `limit` rows. */
export function tableText(table: Table, paint: Paint, limit = 50): string {
  const { title, columns, rows } = table;
  const shown = rows.slice(0, limit).map((row) => row.map((cell) => short(cellText(cell), WIDEST)));
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...shown.map((row) => row[index]?.length ?? 0)),
  );
  const numeric = numericColumns(table);
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) =>
        numeric[index] === true
          ? cell.padStart(widths[index] ?? 0)
          : cell.padEnd(widths[index] ?? 0),
      )
      .join("  ");
  const more = rows.length > limit ? [`${rows.length - limit} more with --json`] : [];
  const lines = [
    paint("bold", line(columns.map((column) => column.toUpperCase())).trimEnd()),
    ...shown.map((row) => line(row).trimEnd()),
    ...more,
  ];
  return `${[...(title === "" ? [] : [paint("bold", title)]), ...lines].join("\n")}\n`;
}
