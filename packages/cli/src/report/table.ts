/** A table as it is printed in every form. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** A share in percent; a dash where there is nothing to share. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`;

/** A ratio with two decimals; a dash where there is nothing to divide by. */
export const ratio = (part: number, whole: number): string =>
  whole === 0 ? "-" : (part / whole).toFixed(2);
