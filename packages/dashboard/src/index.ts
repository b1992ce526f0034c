export {
  phasesWith,
  unknownPolicies,
  type Allowing,
  type NearRule,
  type PhaseTools,
} from "./allowing.ts";
export { compareUnits } from "./experiments/comparison.ts";
export { Experiments, type ExperimentSource } from "./experiments/experiments.ts";
export {
  changesText,
  figureRows,
  tasksText,
  type ComparedExperiment,
  type ComparedFigure,
  type Difference,
  type ExperimentsSeen,
  type Figure,
  type Unit,
} from "./experiments/figures.ts";
export {
  replayTitle,
  summaryText,
  type ComparedReplay,
  type ExperimentsPage,
  type ReplayedChange,
  type ReplaySeen,
  type ReplaySummary,
} from "./experiments/replay.ts";
export { FoundExperiments } from "./experiments/found-experiments.ts";
export { RunTasks } from "./experiments/run-tasks.ts";
export { offerLinks, type OfferLinks } from "./offer-links.ts";
export { type AgentSeen, type Blocker, type RunOverview, type TaskSeen } from "./overview.ts";
export { OverviewHistory } from "./overview-history.ts";
export { PAGE_FILES, pageFile, type Login, type PageFile } from "./page-files.ts";
export { type Latency, type Minute } from "./rates.ts";
export { readRows, type EventSource, type RowPage } from "./read-rows.ts";
export { summaryOf, type Row, type RowFilter } from "./rows.ts";
