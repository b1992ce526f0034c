import type { Alert, Contract } from "@bylaw/contract";
import { treeEntries } from "@bylaw/log";
import { failureCount, rateOf } from "./measure.ts";
import { millisecondsBetween, type Metrics } from "./metrics.ts";

/** An alert of a contract whose condition is true. */
export interface ActiveAlert {
  readonly alert: Alert;
  /** Rates from 0 to 1, durations in seconds, other values as plain numbers. */
  readonly observed: number;
  /** The number of gate answers behind a rate. */
  readonly samples: number | null;
  /** The stuck task; with its phase and the sequence of the event that entered it. */
  readonly task: string | null;
  readonly phase: string | null;
  readonly entered: number | null;
}

/** An alert as text: `gate_block_rate > 0.5`. */
export const alertName = ({
  metric,
  operator,
  value,
}: Pick<Alert, "metric" | "operator" | "value">): string => `${metric} ${operator} ${value}`;

/** Whether a number exceeds the threshold of an alert. */
export function holds(observed: number, operator: string, value: number): boolean {
  if (operator === ">") return observed > value;
  if (operator === ">=") return observed >= value;
  return operator === "<" ? observed < value : operator === "<=" && observed <= value;
}

/** The alerts of a contract whose conditions are true at a time (RFC 3339). A rate over fewer than `samples` answers raises none. */
export function crossingsOf(
  metrics: Metrics,
  contract: Contract,
  at: string,
  samples: number,
): readonly ActiveAlert[] {
  return contract.monitoring.alerts.flatMap((alert) =>
    observe(metrics, contract, alert.metric, at)
      .filter(
        (one) =>
          (one.samples ?? samples) >= samples && holds(one.observed, alert.operator, alert.value),
      )
      .map((one) => ({ alert, ...one })),
  );
}

function observe(
  metrics: Metrics,
  contract: Contract,
  metric: string,
  at: string,
): readonly Omit<ActiveAlert, "alert">[] {
  const nowhere = { task: null, phase: null, entered: null };
  switch (metric) {
    case "gate_pass_rate":
    case "gate_block_rate": {
      const { rate, samples } = rateOf(
        metrics,
        contract,
        metric === "gate_pass_rate" ? "passed" : "blocked",
      );
      return rate === null ? [] : [{ observed: rate, samples, ...nowhere }];
    }
    case "phase_transition_time": {
      const all = [...treeEntries(metrics.durations)].map(([, durations]) => durations);
      const count = all.reduce((total, one) => total + one.count, 0);
      const total_ms = all.reduce((total, one) => total + one.total_ms, 0);
      return count === 0 ? [] : [{ observed: total_ms / count / 1_000, samples: null, ...nowhere }];
    }
    case "task_stuck_in_phase":
      return [...treeEntries(metrics.tasks)].map(([task, { phase, since, entered }]) => ({
        ...{
          observed: millisecondsBetween(since, at) / 1_000,
          samples: null,
          task,
          phase,
          entered,
        },
      }));
    default:
      return [{ observed: failureCount(metrics.failures), samples: null, ...nowhere }];
  }
}
