export { EVENT_TYPES, openAlerts, type OpenAlert } from "./alert-book.ts";
export type { ExportLine } from "./export-line.ts";
export { measure, type Measurements, type Rate } from "./measure.ts";
export {
  workflowMetrics,
  type Durations,
  type Metrics,
  type Requests,
  type PhaseStay,
  type ToolUses,
} from "./metrics.ts";
export { monitoring } from "./monitoring.ts";
export { raiseAlerts, type AlertOptions, type RaisedAlerts } from "./raise-alerts.ts";
