export {
  defineCheck,
  type BehaviorCheck,
  type ResponseCheck,
  type ToolCallCheck,
  type TransitionCheck,
} from "./check.ts";
export { ENFORCEMENT_MODES, type Decision, type EnforcementMode, type Grant } from "./decision.ts";
export { BylawError, formatLocation, messageOf, type BylawErrorInit, type SourceLocation } from "./errors.ts";
export {
  KERNEL_EVENTS,
  type EventDraft,
  type EventType,
  type Finding,
  type Guard,
  type LogEvent,
  type Sink,
} from "./event.ts";
export type { Hook, TapOptions } from "./hooks.ts";
export {
  JSON_LIMITS,
  canonicalJson,
  digestJson,
  freezeJson,
  isJsonObject,
  type Json,
  type JsonObject,
} from "./json.ts";
export { createKernel, type Explanation, type Kernel, type KernelSource, type TapReport } from "./kernel.ts";
export { createMemoryStore } from "./memory-store.ts";
export {
  definePlugin,
  isPlugin,
  issuesOf,
  type Hooks,
  type KernelApi,
  type NamedRule,
  type Plugin,
  type PluginDefinition,
  type PluginFactory,
  type PluginInstance,
  type PooledPlugin,
  type SinglePlugin,
} from "./plugin.ts";
export { defineProjection, emptyView, type Projection, type View } from "./projection.ts";
export { defineConfig, defineRuleset, type Config, type ResolvedPlugin, type Ruleset } from "./ruleset.ts";
export type { ApprovalRequest, OpenOptions, Outcome, Run, ToolResult } from "./run.ts";
export {
  StoreConflict,
  type Claim,
  type ClaimRequest,
  type Commit,
  type DocumentWrite,
  type Receipt,
  type Store,
  type StoredDocument,
  type TaskWrite,
} from "./store.ts";
export {
  APPROVAL_MODES,
  type ApprovalMode,
  type Behavior,
  type Response,
  type ResponseCall,
  type Subject,
  type SubjectContext,
  type SubjectOf,
  type ToolCall,
  type Transition,
} from "./subject.ts";
export {
  DECISION_CODES,
  DIRECTIVES,
  RECOVERIES,
  allow,
  ask,
  deny,
  isEffect,
  stricter,
  type Answer,
  type Directive,
  type DirectiveAction,
  type Effect,
  type HookName,
  type Recovery,
  type RuleReference,
  type Verdict,
  type Vote,
} from "./verdict.ts";
