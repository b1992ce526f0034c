/** A chart: bars with a number each. */
export interface ChartData {
  readonly title: string;
  readonly labels: readonly string[];
  readonly series: readonly { readonly label: string; readonly values: readonly number[] }[];
}
