import type { Contract } from "@bylaw/contract";
import { omitUndefined, type LogEvent } from "@bylaw/kernel";
import { treeGet } from "@bylaw/log";
import { failureCount, rateOf } from "./measure.ts";
import { millisecondsBetween, type Metrics } from "./metrics.ts";
import { judgedBy } from "./votes.ts";

/** One line of the export: an event's contribution to the measures that the contract names. */
export interface ExportLine {
  /** The time of the event, RFC 3339. */
  readonly timestamp: string;
  readonly run: string;
  /** The sequence of the event. Together with the run it identifies the line. */
  readonly sequence: number;
  readonly task?: string;
  readonly agent?: string;
  readonly metrics: Readonly<Record<string, unknown>>;
}

type Part = (event: LogEvent, before: Metrics, after: Metrics, contract: Contract) => unknown;

/** The line of an event; undefined if it contributes nothing. */
export function exportLine(
  run: string,
  event: LogEvent,
  before: Metrics,
  after: Metrics,
  contract: Contract,
): ExportLine | undefined {
  const { timestamp, sequence, task_id, agent_id, event_type, details } = event;
  const parts = contract.monitoring.metrics.map(
    (name) => [name, PARTS[name](event, before, after, contract)] as const,
  );
  const metrics = Object.fromEntries(parts.filter(([, part]) => part !== undefined));
  if (event_type === "alert_raised" || event_type === "alert_cleared")
    metrics[event_type] = details;
  if (Object.keys(metrics).length === 0) return undefined;
  const who = omitUndefined({ task: task_id ?? undefined, agent: agent_id ?? undefined }) as Pick<
    ExportLine,
    "task" | "agent"
  >;
  return { timestamp, run, sequence, ...who, metrics };
}

const rate =
  (wanted: "passed" | "blocked"): Part =>
  (_, before, after, contract) => {
    if (before.requests === after.requests) return undefined;
    const [then, now] = [rateOf(before, contract, wanted), rateOf(after, contract, wanted)];
    return then.samples === now.samples ? undefined : now;
  };

const PARTS: Readonly<Record<Contract["monitoring"]["metrics"][number], Part>> = {
  phase_transition_time: ({ event_type, task_id, timestamp, details }, { tasks }) => {
    const stay =
      event_type === "phase_entered" && task_id !== null ? treeGet(tasks, task_id) : undefined;
    return stay === undefined
      ? undefined
      : {
          from: stay.phase,
          to: details["to"],
          seconds: millisecondsBetween(stay.since, timestamp) / 1_000,
        };
  },
  gate_pass_rate: rate("passed"),
  gate_block_rate: rate("blocked"),
  tool_usage_by_phase: ({ event_type, details: { phase = null, tool } }, before, after) =>
    before.uses === after.uses
      ? undefined
      : { phase, tool, effect: event_type.slice("tool_".length) },
  artifact_validation_failures: ({ details: { decision } }, before, after) =>
    before.failures === after.failures
      ? undefined
      : { artifacts: judgedBy(decision).artifacts, total: failureCount(after.failures) },
};
