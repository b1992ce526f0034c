/** A table that can be printed in every format. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** A share in percent, or a dash if the whole is zero. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`;

/** A ratio with two decimals, or a dash if the divisor is zero. */
export const ratio = (part: number, whole: number): string =>
  whole === 0 ? "-" : (part / whole).toFixed(2);
