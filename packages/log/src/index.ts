// The format of a log.
export type { CatalogueType, EventGroup } from "./format/catalogue/catalogue-type.ts";
export {
  COORDINATOR_TYPES,
  createCatalogue,
  type Catalogue,
  type CatalogueMode,
  type CatalogueOptions,
  type CatalogueProblem,
} from "./format/catalogue/catalogue.ts";
export { RUN_TYPES } from "./format/catalogue/run-types.ts";
export {
  NO_LINK,
  chainEvents,
  digestedText,
  linkOf,
  linkOfText,
  placeEvent,
} from "./format/chain.ts";
export { ENVELOPE_FIELDS, eventTime } from "./format/codec/envelope.ts";
export {
  eventJson,
  formatEventLine,
  parseEventLine,
  uncheckedLine,
} from "./format/codec/event-line.ts";
export { digestOf } from "./format/digest.ts";
export {
  LOG_RULES,
  type RuleSpec,
  type EventContent,
  type FindingSeverity,
  type LogRuleId,
  type OrderFinding,
  type OrderRules,
} from "./format/order/rules.ts";
export {
  ANCHOR_TYPE,
  createLogVerifier,
  type LineEnd,
  type LogFinding,
  type LogHead,
  LogVerifier,
  type VerifyOptions,
} from "./format/verify.ts";

// What follows from a log.
export {
  RUN_EVENTS,
  currentPhases,
  phaseOf,
  recordedDigest,
  recordedPolicy,
  type Phases,
} from "./state/approval.ts";
export {
  OfferedCalls,
  isOfferedCall,
  isTaken,
  offeredCall,
  type DecidedOffer,
} from "./state/offered-calls.ts";
export { OpenQuestions } from "./state/open-questions.ts";
export { callQuestionId, idOfQuestion } from "./state/question-id.ts";
export {
  defineLifecycle,
  endOf,
  type Lifecycle,
  type OpeningEvent,
  type ResumedLog,
} from "./state/lifecycle.ts";
export {
  CALL_EVENTS,
  asksPerson,
  questionExpiry,
  readRecordedCall,
  callHash,
  type RecordedCall,
} from "./state/recorded-call.ts";
export type { EventType, Finding, LogReader, SinkWriter } from "./state/declared.ts";
export type { Session } from "./state/session.ts";
export { treeDrop, treeEntries, treeGet, treePut, type Tree, type TreeNode } from "./state/tree.ts";
export {
  CARRIED_OVER,
  UNCOUNTED_REASONS,
  MAX_ATTEMPTS,
  agentTurns,
  lostCharacters,
  isTurnOver,
  turnOf,
  type AgentTurn,
  type AgentTurns,
  type TurnOutcome,
} from "./state/turns.ts";

// Runs.
export { InFlight } from "./run/in-flight.ts";
export { openRun } from "./run/run.ts";
export type {
  ApprovalRequest,
  AskOptions,
  ChainOptions,
  OpenOptions,
  Outcome,
  Plan,
  RecordOptions,
  RecordableEvent,
  RefusalRequest,
  Run,
  TaskClaim,
  ToolResult,
} from "./run/run-contract.ts";

// Stores.
export { eventBody, checkedEventBody, type EventBody } from "./store/event-body.ts";
export { createMemoryStore } from "./store/memory-store.ts";
export {
  runAdmit,
  checkClaim,
  checkCommit,
  checkPut,
  expiryOf,
  otherFenceConflict,
  storeClosed,
} from "./store/store-input.ts";
export { TIME_AT_END, timeAtEnd, type RunSummary, type StoreReader } from "./store/store-reader.ts";

// Files and keys.
export { foldName } from "./files/fold-name.ts";
export { pathTemplate, runFileName, runPath } from "./files/run-path.ts";
export {
  NO_HEAD,
  followChain,
  isChainBroken,
  readEvents,
  type ChainHead,
} from "./integrity/follow-chain.ts";
export { readKeyFile, unusableKey } from "./integrity/key-file.ts";
