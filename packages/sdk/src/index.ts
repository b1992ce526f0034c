export { AgentClient } from "./client.ts";
export type { AgentClientOptions } from "./client-options.ts";
export type { ClaimOptions } from "./claim.ts";
export { AgentConsensus } from "./consensus.ts";
export type {
  Conclusion,
  ConsensusState,
  ConsensusTerms,
  ShownAnswer,
  ShownAnswers,
} from "./consensus-types.ts";
export type { Environment } from "./client-options.ts";
export {
  AgentError,
  ApprovalPending,
  ApprovalRefused,
  Conflict,
  NoTaskReady,
  NotClaimed,
  NotFound,
  NotPermitted,
  RateLimited,
  RequestInvalid,
  ServerFault,
  TokenExpired,
  ToolFailed,
  ToolForbidden,
  TransitionBlocked,
  Unauthenticated,
  Unavailable,
} from "./errors.ts";
export type { ErrorParts, NextStep } from "./errors.ts";
export type { Blocker, ContractAnswer, PhaseGuide, ObservedTests } from "./contract-types.ts";
export type { EventOptions } from "./events.ts";
export { OperatorClient } from "./operator.ts";
export type {
  CoordinatorEvent,
  NewTask,
  DirectiveReport,
  DropReason,
  OpenDirective,
  OperatorClientOptions,
} from "./operator.ts";
export type { RetryOptions, Sleep } from "./retry.ts";
export type { AskOptions } from "./session.ts";
export type { TransportOptions } from "./transport.ts";
export type {
  Approval,
  BatchCheckAnswer,
  BehaviorAnswer,
  CheckAnswer,
  Claim,
  ClaimAnswer,
  ConcludedAnswer,
  Decision,
  PhaseEntered,
  HeartbeatAnswer,
  Json,
  JsonObject,
  LogEvent,
  ModelResponse,
  PendingAnswer,
  Problem,
  ResponseAnswer,
  Snapshot,
  Task,
  ToolAnswer,
  ToolDescription,
  ToolOutcome,
  ToolQuestion,
  ToolsAnswer,
  TransitionAnswer,
} from "./types.ts";
export { isServiceSecret } from "./service-secret.ts";
