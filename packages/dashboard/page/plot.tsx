import type { Chart } from "chart.js";
import { useEffect, useRef } from "preact/hooks";
import { Table } from "./table.tsx";

interface Series {
  readonly name: string;
  /** Its name in the style sheet. */
  readonly color: string;
  /** One for each bar. */
  readonly values: readonly number[];
}

interface PlotProps {
  readonly label: string;
  /** What the bars are named by, and the name of each. */
  readonly head: string;
  readonly names: readonly string[];
  /** Stacked in this order. */
  readonly series: readonly Series[];
  /** The axis that has the names. */
  readonly axis: "x" | "y";
}

/** A colour of the style sheet, as it is now. */
const colorOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);

const SCALE = {
  stacked: true,
  ticks: { precision: 0, maxRotation: 0, color: () => colorOf("quiet") },
  grid: { color: () => colorOf("line") },
};

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Numbers as stacked bars, with their sums, and as a table. */
export function Plot({ label, head, names, series, axis }: PlotProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef<Chart>(null);
  useEffect(() => {
    const draw = async (): Promise<void> => {
      const { Chart } = await import("./chart.ts");
      if (canvas.current === null) return;
      drawn.current ??= new Chart(canvas.current, {
        type: "bar",
        data: { datasets: [] },
        options: {
          animation: false,
          locale: "en",
          maintainAspectRatio: false,
          indexAxis: axis,
          interaction: { mode: "index", axis, intersect: false },
          plugins: { legend: { display: false } },
          scales: { x: SCALE, y: SCALE },
        },
      });
      drawn.current.data = {
        labels: [...names],
        datasets: series.map(({ name, color, values }) => ({
          ...{ label: name, data: [...values], backgroundColor: colorOf(color) },
          maxBarThickness: 24,
        })),
      };
      drawn.current.update();
    };
    void draw();
    dark.addEventListener("change", draw);
    return () => dark.removeEventListener("change", draw);
  });
  useEffect(() => () => drawn.current?.destroy(), []);
  const rows = names.map((name, at) => [name, ...series.map(({ values }) => values[at] ?? 0)]);
  return (
    <figure>
      <div class="plot">
        <canvas ref={canvas} role="img" aria-label={label} />
      </div>
      <figcaption>
        {label}:{" "}
        {series.map(({ name, color, values }, index) => (
          <span key={name}>
            {index > 0 && ", "}
            <span class={`effect ${color}`}>{name}</span>{" "}
            {values.reduce((sum, value) => sum + value, 0).toLocaleString("en")}
          </span>
        ))}
      </figcaption>
      <details>
        <summary>As a table</summary>
        <Table
          label={label}
          heads={[head, ...series.map(({ name }) => name)]}
          rows={rows
            .filter(([, ...values]) => values.some((value) => value !== 0))
            .map((row) => row.map((value) => value.toLocaleString("en")))}
        />
      </details>
    </figure>
  );
}
