import { plain } from "../io/text.ts";
import { cellText, numericColumns, type Table } from "./table.ts";

/** Formats tables as Markdown. Cells can contain no markup. */
export const markdownOf = (tables: readonly Table[]): string =>
  [
    "# Report\n",
    ...tables.map(
      (table) =>
        `## ${table.title}\n\n${[row(table.columns), rule(table), ...table.rows.map(row)].join("\n")}\n`,
    ),
  ].join("\n");

const row = (cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => escaped(cellText(cell))).join(" | ")} |`;
const rule = (table: Table): string =>
  `| ${numericColumns(table)
    .map((isNumeric) => (isNumeric ? "---:" : "---"))
    .join(" | ")} |`;

// Escapes with entities, which are never markup in Markdown or HTML. An escaped colon keeps an address from becoming a link.
const escaped = (text: string): string =>
  plain(text).replace(
    /[&<>|`*[\]\\~#!:@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g,
    (mark) => `&#${mark.charCodeAt(0)};`,
  );
