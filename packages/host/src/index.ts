export { answerEvent, answerFault, type AnswerOptions, type Judge } from "./answer-event.ts";
export { answerIn, callOf, orBlock, textOf, type CallFields } from "./call.ts";
export type { AskOutcome, FailureOutcome, HostCapabilities } from "./capabilities.ts";
export type { HostCase, ReturnCase, TestRunner } from "./conformance/kit.ts";
export { describeHost } from "./conformance/suite.ts";
export type {
  GuardedCall,
  PersonAnswer,
  ResponseAnswer,
  ToolAnswer,
  ToolGuard,
  ToolGuardOptions,
} from "./guard-contract.ts";
export type {
  HookEntries,
  Host,
  HostEvent,
  HostOutput,
  HostPlace,
  SettingsFile,
  ToolReturn,
} from "./host.ts";
export { lowerDecision, reasonOf, type LowerOptions, type Reply } from "./lower.ts";
export { codeIn, definePluginHost, type PluginHost } from "./plugin-host.ts";
export { findFault, inspectSettings, type SettingsReport } from "./settings/inspect.ts";
export { installHooks, uninstallHooks, type Change } from "./settings/install.ts";
export { STOP_CAP, forgetStops, nextStop } from "./stop-count.ts";
export { createToolGuard, refusalOf } from "./tool-guard.ts";
