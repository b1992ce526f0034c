export { templateJsonSchema, type TemplateText } from "./template/schema.ts";
export type {
  Agent,
  TemplateQuestion,
  Invocation,
  OversightSource,
  Step,
  StepLoop,
  Template,
  TemplateFinding,
  TrackQuestion,
} from "./template/template.ts";
export type { GivenAgent } from "./template/agents/given-agent.ts";
export { TemplateError } from "./template/template-error.ts";
export {
  loadTemplate,
  parseTemplate,
  type LoadTemplateOptions,
  type LoadedTemplate,
} from "./template/load.ts";
export { selectionOf, type Selection } from "./template/select.ts";
export type { LoopBack, NextAction, Start } from "./workflow/next-action.ts";
export { nextAction } from "./workflow/next.ts";
export type { SkipReason } from "./workflow/skip-reason.ts";
export type {
  RunningAgent,
  LocalMcpServer,
  OversightAdvice,
  OversightQuestion,
  StepContext,
  StepFunction,
  StepProgress,
  WorkflowEnd,
  WorkflowOptions,
} from "./workflow/options.ts";
export { loopOptionsOf, triggerOptionsOf } from "./workflow/plugin-options.ts";
export { storedTemplate } from "./workflow/stored-template.ts";
export {
  migrateWorkflow,
  migrationOf,
  migrationError,
  type Migration,
} from "./workflow/migrate.ts";
export { oversightQuestion } from "./workflow/oversight-question.ts";
export { moveWorkflow, releaseWorkflow } from "./workflow/release.ts";
export { workflowEnd, runWorkflow } from "./workflow/run-workflow.ts";
export type {
  AgentRequest,
  ActiveAgent,
  Interrupt,
  SkipScope,
  StepResult,
  ActiveStep,
  WorkflowState,
} from "./workflow/state/types.ts";
export { resultOf, workflowState } from "./workflow/state/projection.ts";
export { EVENT_TYPES } from "./event-types.ts";
export { workflow } from "./workflow/workflow-plugin.ts";
export {
  findTemplates,
  templateFile,
  type FoundTemplate,
  type FoundTemplates,
  type TemplatePlaces,
} from "./template/discover.ts";
export { planOf, templateRunFaults, type PlannedStep } from "./template/plan.ts";
export type { Driver, WakeRequest, WakeHandler } from "./driver.ts";
export { createEmbeddedDriver, type EmbeddedDriverOptions } from "./wakes/embedded.ts";
export {
  findEnqueuedRun,
  enqueueWorkflow,
  type EnqueuedRun,
  type EnqueueOptions,
} from "./wakes/enqueue.ts";
export {
  createWorker,
  type DrivenTemplate,
  type DrivenWork,
  type Worker,
  type WorkerOptions,
} from "./wakes/worker.ts";
export {
  codemachineTrace,
  type CodemachineCase,
  type CodemachineTrace,
} from "./compat/codemachine-trace.ts";
export { radiumCondition } from "./compat/condition.ts";
export { codemachineResumeIndex, radiumResumeIndex } from "./compat/resume-index.ts";
export { runCommand, type CommandStart, type ProgramResult } from "./step/run-command.ts";
export { stepEnvironment } from "./step/environment.ts";
export {
  BEHAVIOR_TOOLS,
  reportBehavior,
  type BehaviorAnswer,
  type BehaviorContext,
} from "./behavior-tools.ts";
