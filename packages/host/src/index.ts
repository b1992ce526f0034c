export {
  answerEvent,
  answerUnjudged,
  type AnswerOptions,
  type HeldAnswer,
  type Judge,
} from "./answer-event.ts";
export {
  hookOutputJson,
  callFromFields,
  blockingCommand,
  unheededCommand,
  stringField,
  type CallFields,
} from "./call.ts";
export type { AskOutcome, FailureOutcome, HostCapabilities } from "./capabilities.ts";
export type { HostCase, ReturnCase, SessionCase, TestRunner } from "./conformance/kit.ts";
export { describeHost } from "./conformance/suite.ts";
export { checkOffered } from "./guard-offer.ts";
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
  HostStart,
  SettingsFile,
  ToolReturn,
} from "./host.ts";
export {
  fileOfSystem,
  haltFields,
  jsonOutput,
  preToolDecision,
  preToolOutput,
  stopEvent,
} from "./hook-format.ts";
export { takeOffer } from "./rewrite.ts";
export { misleadingVariable } from "./misleading.ts";
export {
  lowerDecision,
  lowerDenial,
  reasonOf,
  type Denial,
  type LowerOptions,
  type Reply,
} from "./lower.ts";
export { codeFilesIn, definePluginHost, type PluginHost } from "./plugin-host.ts";
export { readSessionEvent, type SessionEvent, type SessionEventType } from "./session-event.ts";
export { hookEntries } from "./settings/hook-entries.ts";
export { findInstallFault, inspectSettings, type SettingsReport } from "./settings/inspect.ts";
export { installHooks, uninstallHooks, type InstallResult } from "./settings/install.ts";
export { MAX_REFUSED_STOPS, forgetStops, countRefusedStop } from "./stop-count.ts";
export { createToolGuard, refusalError } from "./tool-guard.ts";
