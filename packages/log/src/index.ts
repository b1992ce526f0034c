export {
  CARRIED_OVER,
  FREE_REASONS,
  MAX_ATTEMPTS,
  agentTurns,
  charsLost,
  isTurnOver,
  turnOf,
  type AgentTurn,
  type AgentTurns,
  type TurnOutcome,
} from "./agents/turns.ts";
export { aliasOf, agentNamed, deniedCalls, isOut, isTimeOver, isVotingDeferred, labelOf, unseenBy } from "./agents/consensus-facts.ts";
export { TIME_OVER, consensusState, type Answer, type Ballot, type Consensus, type ConsensusTerms } from "./agents/consensus.ts";
export type { Terminal } from "./agents/terminal.ts";
export { RUN_EVENTS, approvalDigest, currentPhases, phaseOf, type Phases } from "./approval.ts";
export { digestOf } from "./digest.ts";
export type { CatalogueType, EventGroup } from "./catalogue/catalogue-type.ts";
export {
  CATALOGUE_MODES,
  COORDINATOR_TYPES,
  createCatalogue,
  type Catalogue,
  type CatalogueMode,
  type CatalogueOptions,
  type CatalogueProblem,
} from "./catalogue/catalogue.ts";
export { RUN_TYPES } from "./catalogue/run-types.ts";
export { bodyOf, bodyOfChecked, numbered, type Body } from "./body.ts";
export { NO_LINK, chain, chainedText, linkOf, linkOfText } from "./chain.ts";
export { ENVELOPE_FIELDS } from "./codec/envelope.ts";
export { formatEventLine, parseEventLine } from "./codec/event-line.ts";
export { foldName } from "./fold-name.ts";
export { readKeyFile, unusableKey } from "./key-file.ts";
export { createMemoryStore } from "./memory-store.ts";
export { coordinatorGuard, coordinatorState, coordinatorTasks, ownWorkGuard, type Coordination } from "./order/coordinator.ts";
export type { TaskState, TaskStatus } from "./order/task.ts";
export {
  drop as treeDrop,
  entriesOf as treeEntries,
  find as treeGet,
  put as treePut,
  type Node as TreeNode,
  type Tree,
} from "./order/tree.ts";
export { Passing } from "./passing.ts";
export { LOG_PROFILES, LOG_RULES, type FindingSeverity, type LogProfile, type LogRule, type LogRuleId } from "./order/rules.ts";
export { callIn, type RecordedCall } from "./recorded-call.ts";
export { openRun } from "./run.ts";
export { pathTemplateFault, runFileName, runPath } from "./run-path.ts";
export type {
  ApprovalRequest,
  AskOptions,
  OpenOptions,
  Outcome,
  Plan,
  RecordOptions,
  Recordable,
  Run,
  TaskClaim,
  ToolResult,
} from "./run-contract.ts";
export { TIME_AT_END, timeAtEnd, type RunSummary, type StoreReader } from "./store-reader.ts";
export { timeOf } from "./time-of.ts";
export { Underway } from "./underway.ts";
export { askAdmit, checkClaim, checkCommit, checkDraft, checkText, expiryOf, otherFence, storeClosed } from "./store-input.ts";
export {
  ANCHOR_TYPE,
  createLogVerifier,
  type LineEnd,
  type LogFinding,
  type LogHead,
  type LogVerifier,
  type VerifyOptions,
} from "./verify.ts";
