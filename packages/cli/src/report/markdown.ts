import { plain } from "../io/text.ts";
import type { Table } from "./table.ts";

/** Formats tables as Markdown. Cells can contain no markup. */
export const markdownOf = (tables: readonly Table[]): string =>
  [
    "# Report\n",
    ...tables.map(
      ({ title, columns, rows }) =>
        `## ${title}\n\n${[row(columns), rule(columns), ...rows.map(row)].join("\n")}\n`,
    ),
  ].join("\n");

const row = (cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => escaped(String(cell))).join(" | ")} |`;
const rule = (columns: readonly string[]): string => `| ${columns.map(() => "---").join(" | ")} |`;

// Escapes with entities, which are never markup in Markdown or HTML. An escaped colon keeps an address from becoming a link.
const escaped = (text: string): string =>
  plain(text).replace(
    /[&<>|`*[\]\\~#!:@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g,
    (mark) => `&#${mark.charCodeAt(0)};`,
  );
