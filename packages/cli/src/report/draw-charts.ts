import type { ChartData } from "./chart-data.ts";

/** The parts of a web page that the charts need. */
interface Page {
  readonly Chart: new (canvas: unknown, config: object) => unknown;
  readonly document: { getElementById(id: string): { readonly textContent: string } | null };
}

/** Draws the charts. Its source is copied into the page, so it must not use anything outside its own body. */
export function drawCharts(): void {
  const { Chart, document } = globalThis as unknown as Page;
  const colours = ["#4269d0", "#efb118", "#ff725c"];
  const charts = JSON.parse(
    document.getElementById("charts")?.textContent ?? "[]",
  ) as readonly ChartData[];
  for (const [index, { title, labels, series }] of charts.entries()) {
    const datasets = series.map(({ label, values }, at) => ({
      label,
      data: values,
      backgroundColor: colours[at],
    }));
    void new Chart(document.getElementById(`chart-${index}`), {
      type: "bar",
      data: { labels, datasets },
      options: {
        animation: false,
        maintainAspectRatio: false,
        plugins: { title: { display: true, text: title }, legend: { display: series.length > 1 } },
        scales: {
          x: { stacked: series.length > 1 },
          y: { stacked: series.length > 1, beginAtZero: true, ticks: { precision: 0 } },
        },
      },
    });
  }
}
