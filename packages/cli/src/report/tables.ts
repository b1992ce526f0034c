import { decisionTables } from "./decision-tables.ts";
import type { Frequency, Report } from "./collect.ts";
import { percent, ratio, type Table } from "./table.ts";
import type { Figures } from "./turns.ts";

/** The tables of a report, without empty ones. */
export function tablesOf({
  runs,
  decisions,
  totals,
  reasons,
  rounds,
  tools,
  agents,
  red_flags,
}: Report): readonly Table[] {
  const all: readonly Table[] = [
    ...decisionTables(decisions),
    {
      title: "Turns",
      columns: ["figure", "value"],
      rows: hasFigures(totals) ? summaryOf(totals) : [],
    },
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
      columns: Object.keys(AGENT),
      rows: agents.filter(hasFigures).map(agentRow),
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

type AgentReport = Report["agents"][number];

const AGENT: Readonly<Record<string, (agent: AgentReport) => string | number>> = {
  run: ({ run }) => run,
  agent: ({ agent }) => agent,
  turns: ({ turns }) => turns,
  ok: ({ ok, turns }) => percent(ok, turns),
  "first attempt": ({ first_attempt, turns }) => percent(first_attempt, turns),
  "per 100 turns": (agent) => per100(agent),
  "calls per turn": ({ model_calls, turns }) => ratio(model_calls, turns),
  lost: ({ chars_lost }) => chars_lost,
  carried: ({ chars_carried }) => chars_carried,
};

const agentRow = (agent: AgentReport): readonly (string | number)[] =>
  Object.values(AGENT).map((cell) => cell(agent));

const FREQUENCY = ["violations", "share", "runs", "agents", "lost"];

const frequencyRow = (
  { name, violations, runs, agents, chars_lost }: Frequency,
  totals: Figures,
): readonly (string | number)[] => [
  ...[name, violations, percent(violations, totals.violations), runs, agents, chars_lost],
];

const per100 = ({ violations, turns }: Figures): string => ratio(100 * violations, turns);

const hasFigures = ({ turns, running, violations, infrastructure }: Figures): boolean =>
  turns + running + violations + infrastructure > 0;

const summaryOf = (totals: Figures): readonly (readonly (string | number)[])[] => [
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
