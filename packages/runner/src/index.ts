export { agentsSchema, templateJsonSchema, templateSchema, type TemplateText } from "./template/schema.ts";
export type { Agent, Choice, Invocation, OversightSource, Step, StepLoop, Template, TemplateFinding, Tracks } from "./template/template.ts";
export { TemplateError } from "./template/template-error.ts";
export { loadAgents, loadTemplate, parseTemplate, type LoadTemplateOptions, type LoadedTemplate } from "./template/load.ts";
export { selectionOf, type Selection } from "./template/select.ts";
export { frameKey, next, type LoopBack, type Move, type Start } from "./workflow/next.ts";
export type { SkipReason } from "./workflow/skip-reason.ts";
export type {
  AtWork,
  Door,
  OversightQuestion,
  StepContext,
  StepFunction,
  StepProgress,
  WorkflowEnd,
  WorkflowOptions,
} from "./workflow/options.ts";
export { loopOptionsOf, triggerOptionsOf } from "./workflow/plugin-options.ts";
export { keptTemplate } from "./workflow/kept-template.ts";
export { migrateWorkflow, migrationOf, notMigrated, type Migration } from "./workflow/migrate.ts";
export { moveWorkflow, releaseWorkflow } from "./workflow/release.ts";
export { endIn, runWorkflow } from "./workflow/run-workflow.ts";
export type { Asked, Frame, Interrupt, SkipScope, StepResult, Unit, WorkflowState } from "./workflow/standing.ts";
export { resultOf, workflowState } from "./workflow/state.ts";
export { workflow } from "./workflow/workflow-plugin.ts";
export {
  findTemplates,
  templateFile,
  templateFolders,
  type FoundTemplate,
  type FoundTemplates,
  type TemplatePlaces,
} from "./template/discover.ts";
export { planOf, unrunnable, type PlannedStep } from "./template/plan.ts";
export type { Driver, Wake, WakeHandler } from "./driver.ts";
export { createEmbeddedDriver, type EmbeddedDriverOptions } from "./wakes/embedded.ts";
export { offeredIn, offerWorkflow, type Offered, type OfferOptions } from "./wakes/offer.ts";
export { createWorker, type DrivenTemplate, type DrivenWork, type Worker, type WorkerOptions } from "./wakes/worker.ts";
export { codemachineTrace, type CodemachineCase, type CodemachineTrace } from "./compat/codemachine-trace.ts";
export { radiumCondition } from "./compat/condition.ts";
export { codemachineResumeIndex, radiumResumeIndex } from "./compat/resume-index.ts";
export { runCommand, type CommandStart, type Ended } from "./step/run-command.ts";
export { stepEnvironment } from "./step/environment.ts";
export { BEHAVIOR_TOOLS, reportBehavior, type BehaviorAnswer, type BehaviorContext } from "./behavior-tools.ts";
