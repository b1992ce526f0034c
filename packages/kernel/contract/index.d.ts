export type { BehaviorCheck, CheckCommon, Names, ResponseCheck, ToolCallCheck, TransitionCheck } from "./check.d.ts";
export type { Decision, EnforcementMode, Explanation, Grant, TapReport } from "./decision.d.ts";
export type { BylawErrorInit, SourceLocation } from "./errors.d.ts";
export type { EventDraft, EventType, Finding, Guard, LogEvent, LogReader, Redactor, Sink, SinkWriter } from "./event.d.ts";
export type { Json, JsonObject } from "./json.d.ts";
export type { Declared, Kernel, KernelSource } from "./kernel.d.ts";
export type {
  Hook,
  Hooks,
  KernelApi,
  NamedRule,
  Plugin,
  PluginCommon,
  PluginDefinition,
  PluginFactory,
  PluginInstance,
  PooledPlugin,
  SinglePlugin,
  TapOptions,
} from "./plugin.d.ts";
export type { Projection, View } from "./projection.d.ts";
export type { Config, ResolvedPlugin, Ruleset } from "./ruleset.d.ts";
export type { Claim, ClaimRequest, Commit, DocumentWrite, ExpiredLease, Receipt, Store, StoredDocument, TaskWrite } from "./store.d.ts";
export type {
  ApprovalMode,
  Behavior,
  Response,
  ResponseCall,
  Subject,
  SubjectContext,
  SubjectOf,
  ToolCall,
  Transition,
} from "./subject.d.ts";
export type {
  Answer,
  Directive,
  DirectiveAction,
  Effect,
  HookName,
  Recovery,
  RuleReference,
  Verdict,
  VerdictDetails,
  Vote,
} from "./verdict.d.ts";
