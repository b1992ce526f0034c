export {
  phasesWith,
  unknownPolicies,
  type Allowing,
  type NearRule,
  type PhaseTools,
} from "./allowing.ts";
export { type AgentSeen, type Blocker, type RunOverview, type TaskSeen } from "./overview.ts";
export { OverviewHistory } from "./overview-history.ts";
export { PAGE_FILES, pageFile, type Login, type PageFile } from "./page-files.ts";
export { type Latency, type Minute } from "./rates.ts";
export { readRows, type EventSource, type RowPage } from "./read-rows.ts";
export { type Row, type RowFilter } from "./rows.ts";
