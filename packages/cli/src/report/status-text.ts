import type { AgentStatus, Status } from "@bylaw/plugin-status";
import { count, plain, type Paint } from "../io/text.ts";
import { tableText } from "./table-text.ts";

/** Prints the state of a run for a terminal: a line about the run, a table of its agents, and a table of their rounds. */
export function statusText(status: Status, paint: Paint): string {
  const { finish_reason, finish_reason_details, meta, coordination, tasks, agents: all } = status;
  if (finish_reason === null) return "nothing has happened yet\n";
  const agents = Object.entries(all);
  const parts = [
    `${finish_reason}${finish_reason_details === "" || finish_reason_details === null ? "" : ` (${plain(finish_reason_details)})`}`,
    count(meta.last_sequence, "event"),
    ...(meta.last_updated === null
      ? []
      : [`until ${new Date(meta.last_updated * 1_000).toISOString()}`]),
    ...(Object.keys(status.results.votes).length > 0
      ? [`${coordination.completion_percentage} % of answers and votes`]
      : []),
    ...Object.entries(tasks.by_phase).map(
      ([phase, number]) => `${count(number, "task")} in ${plain(phase)}`,
    ),
  ];
  const rounds = agents.flatMap(([id, agent]) => roundRows(id, agent));
  const tables = [
    agents.length === 0
      ? ""
      : tableText(
          {
            title: "agents",
            columns: AGENT,
            rows: agents.map(([id, agent]) => agentRow(id, agent)),
          },
          paint,
        ),
    rounds.length === 0
      ? ""
      : tableText({ title: "rounds", columns: ROUND, rows: rounds }, paint, 200),
  ];
  return [`${parts.join(", ")}\n`, ...tables.filter((text) => text !== "")].join("\n");
}

const AGENT = [
  "agent",
  "status",
  "outcome",
  "round",
  "violations",
  "lost",
  "carried",
  "calls",
  "unknown tools",
];
const ROUND = ["agent", "round", "violations", "reasons"];

const agentRow = (
  id: string,
  { status, reliability, round_timing, tool_metrics, ...agent }: AgentStatus,
): readonly (string | number)[] => [
  id,
  status,
  reliability.outcome ?? (status === "done" ? "-" : "running"),
  round_timing.round_number,
  Object.values(reliability.by_round).reduce((total, { count: number }) => total + number, 0),
  reliability.total_buffer_chars_lost,
  agent.total_buffer_chars_carried,
  tool_metrics.total_calls,
  reliability.unknown_tools.join(", ") || "-",
];

const roundRows = (
  id: string,
  { reliability }: AgentStatus,
): readonly (readonly (string | number)[])[] =>
  Object.entries(reliability.by_round).map(([round, { count: number, reasons }]) => [
    id,
    round,
    number,
    reasons.join(", ") || "-",
  ]);
