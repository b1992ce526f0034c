/** A bar chart with a number for each bar. */
export interface ChartData {
  readonly title: string;
  readonly labels: readonly string[];
  readonly series: readonly { readonly label: string; readonly values: readonly number[] }[];
}
