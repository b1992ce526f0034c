export { defineCheck } from "./check.ts";
export { checkArgument } from "./check-argument.ts";
export {
  ENFORCEMENT_MODES,
  type Decision,
  type EnforcementMode,
  type Explanation,
  type Grant,
  type TapReport,
} from "./decision.ts";
export type {
  Declared,
  Finding,
  Guard,
  LogReader,
  Redactor,
  Sink,
  SinkWriter,
} from "./declared.ts";
export { BylawError, formatLocation, messageOf, type SourceLocation } from "./errors.ts";
export type { EventDraft, EventType, LogEvent } from "./event.ts";
export { describeIssue, describeIssues } from "./issues.ts";
export {
  JSON_LIMITS,
  canonicalJson,
  digestJson,
  freezeJson,
  isJsonObject,
  omitUndefined,
  type Json,
  type JsonObject,
} from "./json.ts";
export { createKernel, type Kernel } from "./kernel.ts";
export {
  definePlugin,
  isPlugin,
  type Hook,
  type Hooks,
  type KernelApi,
  type Plugin,
  type PluginFactory,
  type PluginInstance,
} from "./plugin.ts";
export { defineProjection, emptyView, type Projection, type View } from "./projection.ts";
export {
  defineConfig,
  defineRuleset,
  type Config,
  type ResolvedPlugin,
  type Ruleset,
} from "./ruleset.ts";
export {
  APPROVAL_MODES,
  type ApprovalMode,
  type Behavior,
  type Response,
  type ResponseCall,
  type Subject,
  type SubjectOf,
  type ToolCall,
  type Transition,
} from "./subject.ts";
export {
  DECISION_CODES,
  DIRECTIVES,
  RECOVERIES,
  STRICTNESS,
  allow,
  ask,
  deny,
  isEffect,
  stricter,
  type Answer,
  type Effect,
  type HookName,
  type Recovery,
  type RuleReference,
  type Verdict,
  type Vote,
} from "./verdict.ts";
