import { createHash } from "node:crypto";
import { plain } from "../io/text.ts";
import type { Report } from "./collect.ts";
import type { ChartData } from "./chart-data.ts";
import type { NamedEffectCount } from "./decision-count.ts";
import { drawCharts } from "./draw-charts.ts";
import { cellText, numericColumns, type Table } from "./table.ts";

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.5rem}
table{border-collapse:collapse;display:block;overflow-x:auto;font-size:.9rem}
th,td{border-bottom:1px solid #d0d7de;padding:.3rem .8rem;text-align:left;white-space:nowrap}th{background:#f6f8fa}.number{text-align:right}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(24rem,1fr));gap:2rem}.charts div{position:relative;height:18rem}
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}th{background:#161b22}th,td{border-color:#30363d}}`;

/**
 * A self-contained page: tables that need no script, and charts above them. It loads nothing, and its policy lets only its own
 * scripts run, whatever names a log contains. `library`: the source of Chart.js.
 */
export function htmlOf(report: Report, tables: readonly Table[], library: string): string {
  const charts = chartsOf(report);
  const scripts = charts.length === 0 ? [] : [library, `(${drawCharts.toString()})();`];
  const hashes = (texts: readonly string[]): string =>
    texts
      .map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`)
      .join(" ") || "'none'";
  const policy = `default-src 'none'; script-src ${hashes(scripts)}; style-src ${hashes([STYLE])}; base-uri 'none'; form-action 'none'`;
  const canvases = charts.map(
    ({ title }, index) =>
      `<div><canvas id="chart-${index}" role="img" aria-label="${escaped(title)}"></canvas></div>`,
  );
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">`,
    `<meta name="viewport" content="width=device-width"><title>Bylaw report</title><style>${STYLE}</style></head><body>`,
    "<h1>Report</h1>",
    ...(charts.length === 0 ? [] : [`<div class="charts">${canvases.join("")}</div>`]),
    ...tables.map(tableOf),
    // Only `<` could end the script element.
    `<script type="application/json" id="charts">${JSON.stringify(charts).replaceAll("<", "\\u003c")}</script>`,
    ...scripts.map((text) => `<script type="module">${text}</script>`),
    "</body></html>\n",
  ].join("\n");
}

const escaped = (text: string): string =>
  plain(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);

function tableOf(table: Table): string {
  const { title, columns, rows } = table;
  const marks = numericColumns(table).map((isNumeric) => (isNumeric ? ' class="number"' : ""));
  const head = columns
    .map((column, at) => `<th scope="col"${marks[at]}>${escaped(column)}</th>`)
    .join("");
  const body = rows
    .map(
      (row) =>
        `<tr>${row.map((cell, at) => `<td${marks[at]}>${escaped(cellText(cell))}</td>`).join("")}</tr>`,
    )
    .join("\n");
  return `<h2>${escaped(title)}</h2>\n<table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table>`;
}

// More bars are hard to tell apart. The tables show all.
const BARS = 20;

function chartsOf({ decisions, reasons, rounds, tools, agents }: Report): readonly ChartData[] {
  const writers = agents
    .filter(({ chars_lost, chars_carried }) => chars_lost + chars_carried > 0)
    .map(({ agent, chars_lost, chars_carried }) => ({
      ...{ name: agent, lost: chars_lost, "carried over": chars_carried },
    }));
  const all = [
    barChart("Decisions by rule", EFFECTS, decisions.rules.map(labelled)),
    barChart("Decisions by hour (UTC)", EFFECTS, decisions.hours.map(labelled)),
    barChart(
      "Questions by day (UTC)",
      ["asked"],
      decisions.questions.days.map(({ day, asked }) => ({ name: day, asked })).slice(-BARS),
    ),
    barChart("Violations by reason", ["violations"], reasons),
    barChart("Violations by round", ["violations"], rounds),
    barChart("Violations by tool", ["violations"], tools),
    barChart("Characters lost and carried over, by agent", ["lost", "carried over"], writers),
  ];
  return all.filter(({ labels }) => labels.length > 0);
}

const EFFECTS = ["allowed", "asked", "denied"] as const;

const labelled = ({ name, allow, ask_user, deny }: NamedEffectCount) => ({
  ...{ name, allowed: allow, asked: ask_user, denied: deny },
});

function barChart<Label extends string>(
  title: string,
  labels: readonly Label[],
  counts: readonly ({ readonly name: string } & Readonly<Record<Label, number>>)[],
): ChartData {
  const shown = counts.slice(0, BARS);
  return {
    title,
    labels: shown.map(({ name }) => plain(name)),
    series: labels.map((label) => ({ label, values: shown.map((count) => count[label]) })),
  };
}
