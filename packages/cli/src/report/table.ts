/** A table that can be printed in every format. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** The text of a cell. A name that is missing, such as that of an agent, is said to be. */
export const cellText = (cell: string | number): string =>
  cell === "" ? "(unnamed)" : String(cell);

/** Whether each column holds only numbers, shares and dashes. */
export const numericColumns = ({ columns, rows }: Table): readonly boolean[] =>
  columns.map(
    (_, index) =>
      rows.length > 0 && rows.every((row) => /^(?:-|[\d.]+(?: %)?)$/.test(String(row[index]))),
  );

/** A share in percent, or a dash if the whole is zero. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`;

/** A ratio with two decimals, or a dash if the divisor is zero. */
export const ratio = (part: number, whole: number): string =>
  whole === 0 ? "-" : (part / whole).toFixed(2);
