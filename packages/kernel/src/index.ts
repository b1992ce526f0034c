export { defineCheck } from "./check.ts";
export { checkArgument } from "./check-argument.ts";
export { ENFORCEMENT_MODES, type Decision } from "./decision.ts";
export type { Guard, Sink } from "./declared.ts";
export { BylawError, messageOf } from "./errors.ts";
export { Faults } from "./faults.ts";
export type { EventDraft, LogEvent } from "./event.ts";
export { JSON_LIMITS, canonicalJson, freezeJson, isJsonObject, omitUndefined } from "./json.ts";
export type { Json, JsonObject } from "./json.ts";
export { createKernel, type Kernel } from "./kernel.ts";
export {
  definePlugin,
  isPlugin,
  type KernelApi,
  type Plugin,
  type PluginFactory,
} from "./plugin.ts";
export { defineProjection, type Projection, type View } from "./projection.ts";
export { defineConfig, defineRuleset, type Config, type Ruleset } from "./ruleset.ts";
export { APPROVAL_MODES, type ApprovalMode } from "./subject.ts";
export type { Behavior, Response, Subject, ToolCall, Transition } from "./subject.ts";
export { STRICTNESS, allow, ask, deny, type Effect, type Verdict } from "./verdict.ts";
