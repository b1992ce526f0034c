import type { Alert } from "./model.ts";

/** The metrics of alerts, and their units. */
const ALERT_METRICS: Readonly<Record<string, "rate" | "duration" | "count">> = {
  gate_pass_rate: "rate",
  gate_block_rate: "rate",
  phase_transition_time: "duration",
  task_stuck_in_phase: "duration",
  artifact_validation_failures: "count",
};

const FORM = /^([a-z_]+)\s*(>=|<=|>|<)\s*(\d{1,9}(?:\.\d{1,6})?)\s*(%|ms|s|m|h|d)?$/;
const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * Parses `gate_block_rate > 50%` or `task_stuck_in_phase > 2h`. Returns what is expected, as text,
 * if the condition is neither.
 */
export function parseAlert(
  condition: string,
): Pick<Alert, "metric" | "operator" | "value"> | string {
  const [, metric = "", operator = "", digits = "", unit = ""] = FORM.exec(condition.trim()) ?? [];
  const kind = Object.hasOwn(ALERT_METRICS, metric) ? ALERT_METRICS[metric] : undefined;
  if (kind === undefined)
    return `one of ${Object.keys(ALERT_METRICS).join(", ")}, a comparison and a value`;
  const value = Number(digits);
  const read = (scaled: number) => ({
    metric,
    operator: operator as Alert["operator"],
    value: scaled,
  });
  if (kind === "rate")
    return unit === "%" && value <= 100
      ? read(value / 100)
      : `\`${metric}\` compared with percent, \`50%\``;
  if (kind === "count") return unit === "" ? read(value) : `\`${metric}\` compared with a number`;
  const seconds = SECONDS[unit];
  return seconds === undefined
    ? `\`${metric}\` compared with a duration, \`2h\``
    : read(value * seconds);
}
