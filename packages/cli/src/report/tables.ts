import type { Frequency, Report } from "./collect.ts";
import { percent, ratio, type Table } from "./table.ts";
import type { Figures } from "./turns.ts";

/** A report as tables; those without a row are left out. */
export function tablesOf({
  runs,
  totals,
  reasons,
  rounds,
  tools,
  agents,
  red_flags,
}: Report): readonly Table[] {
  const all: readonly Table[] = [
    { title: "Summary", columns: ["figure", "value"], rows: summaryOf(totals, runs.length) },
    {
      title: "Red flags",
      columns: ["run", "agent", "flag", "what"],
      rows: red_flags.map(({ run, agent, flag, text }) => [run, agent, flag, text]),
    },
    {
      title: "By reason",
      columns: ["reason", ...FREQUENCY],
      rows: reasons.map((one) => frequencyRow(one, totals)),
    },
    {
      title: "By round",
      columns: ["round", ...FREQUENCY],
      rows: rounds.map((one) => frequencyRow(one, totals)),
    },
    {
      title: "By tool",
      columns: ["tool", ...FREQUENCY],
      rows: tools.map((one) => frequencyRow(one, totals)),
    },
    {
      title: "By agent",
      columns: [
        "run",
        "agent",
        "turns",
        "ok",
        "first attempt",
        "per 100 turns",
        "calls per turn",
        "lost",
        "carried",
      ],
      rows: agents.map((one) => [
        ...[
          one.run,
          one.agent,
          one.turns,
          percent(one.ok, one.turns),
          percent(one.first_attempt, one.turns),
        ],
        ...[per100(one), ratio(one.model_calls, one.turns), one.chars_lost, one.chars_carried],
      ]),
    },
    {
      title: "Runs",
      columns: ["run", "events", "agents", "begin", "end"],
      rows: runs.map(({ run, events, agents: number, begin, end }) => [
        run,
        events,
        number,
        begin,
        end,
      ]),
    },
  ];
  return all.filter(({ rows }) => rows.length > 0);
}

const FREQUENCY = ["violations", "share", "runs", "agents", "lost"];

const frequencyRow = (
  { name, violations, runs, agents, chars_lost }: Frequency,
  totals: Figures,
): readonly (string | number)[] => [
  ...[name, violations, percent(violations, totals.violations), runs, agents, chars_lost],
];

const per100 = ({ violations, turns }: Figures): string => ratio(100 * violations, turns);

const summaryOf = (totals: Figures, runs: number): readonly (readonly (string | number)[])[] => [
  ["runs", runs],
  ["turns that ended", totals.turns],
  ["turns still going on", totals.running],
  ["ok", `${totals.ok} (${percent(totals.ok, totals.turns)})`],
  [
    "ok at the first attempt",
    `${totals.first_attempt} (${percent(totals.first_attempt, totals.turns)})`,
  ],
  ["non-compliant", totals.non_compliant],
  ["dropped", totals.dropped],
  ["violations", totals.violations],
  ["violations per 100 turns", per100(totals)],
  ["retries, by another call of the model", totals.restarts],
  ["recovered inline", totals.inline],
  ["calls of a model per turn", ratio(totals.model_calls, totals.turns)],
  ["characters lost", totals.chars_lost],
  ["characters carried over", totals.chars_carried],
  ["infrastructure events", totals.infrastructure],
];
