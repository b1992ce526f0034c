import type { Blocker, SeenTests } from "./contract-types.ts";
import type { Problem } from "./types.ts";

/**
 * What to do after an error: `claim` the task again (or another one) · `change` the request, it is wrong as it is · `resolve` what
 * blocks, then ask again · `wait`, then ask again · `stop`: nothing that an agent can do helps, a person has to.
 */
export type NextStep = "claim" | "change" | "resolve" | "wait" | "stop";

/** What an error is made of. */
export interface ErrorParts {
  /** As the server has it, or one of this client's own: `not_claimed`, `unreachable`, `answer_unreadable`, `request_invalid`. */
  readonly code: string;
  readonly message: string;
  readonly fix?: string | undefined;
  /** The answer's; none where nothing was asked or nobody answered. */
  readonly status?: number | undefined;
  /** The problem details of the answer, as they came. */
  readonly problem?: Problem | undefined;
  /** How long the server asks to wait, in milliseconds; where it says. */
  readonly retry_after_ms?: number | undefined;
  readonly cause?: unknown;
}

/** What every error of this client is. Its class says what happened, `next` what to do. No credential is in any part of it. */
export class AgentError extends Error {
  override readonly name: string = "AgentError";
  readonly next: NextStep = "stop";
  readonly code: string;
  readonly fix: string | undefined;
  readonly status: number | undefined;
  readonly problem: Problem | undefined;
  readonly retry_after_ms: number | undefined;

  constructor({ code, message, fix, status, problem, retry_after_ms, cause }: ErrorParts) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.fix = fix;
    this.status = status;
    this.problem = problem;
    this.retry_after_ms = retry_after_ms;
  }
}

/** The credential is missing, unknown or not what was signed. Another one has to be given; asking again does not help. */
export class Unauthenticated extends AgentError {
  override readonly name = "Unauthenticated";
}

/** The credential is known and may not do this: an agent asked for what is an operator's. */
export class NotPermitted extends AgentError {
  override readonly name = "NotPermitted";
}

/** The phase token does not hold any more: its time is over, or the task has a newer one. Claim the same task again. */
export class TokenExpired extends AgentError {
  override readonly name = "TokenExpired";
  override readonly next = "claim";
}

/** This agent does not hold the task: it never claimed it, its lease ended, or the task is over. Claim again before going on. */
export class NotClaimed extends AgentError {
  override readonly name = "NotClaimed";
  override readonly next = "claim";
}

/** No task is free and ready now. */
export class NoTaskReady extends AgentError {
  override readonly name = "NoTaskReady";
  override readonly next = "wait";
}

/** The rules deny this call. Another call, or another phase; the same call again gets the same answer. */
export class ToolForbidden extends AgentError {
  override readonly name = "ToolForbidden";
  override readonly next = "change";
  /** The tool that was asked for. */
  readonly tool: string | undefined;

  constructor(parts: ErrorParts & { readonly tool: string | undefined }) {
    super(parts);
    this.tool = parts.tool;
  }
}

/** The call was allowed and the tool failed: the arguments were wrong, or what it works on is not as expected. */
export class ToolFailed extends AgentError {
  override readonly name = "ToolFailed";
  override readonly next = "change";
}

/** A person has to say yes first. `waitForApproval(approval_id)`, then make the same call again. */
export class ApprovalPending extends AgentError {
  override readonly name = "ApprovalPending";
  override readonly next = "wait";
  readonly approval_id: string;

  constructor(parts: ErrorParts & { readonly approval_id: string }) {
    super(parts);
    this.approval_id = parts.approval_id;
  }
}

/** A person said no, or nobody answered in time (`code`). */
export class ApprovalRefused extends AgentError {
  override readonly name = "ApprovalRefused";
  override readonly next = "change";
}

/** The task stays in its phase. */
export class TransitionBlocked extends AgentError {
  override readonly name = "TransitionBlocked";
  override readonly next: NextStep;
  /** Why, one sentence each; never empty. */
  readonly blockers: readonly string[];
  /** Nothing is wrong, and somebody else has to act: a person who approves, or reviewers. */
  readonly pending: boolean;
  /** The same as `blockers`, each with its code, its checks and what to do about it. */
  readonly blocked_by: readonly Blocker[];
  /** The result of the test run that the server made for the request; `null` if it made none. */
  readonly test_run: SeenTests | null;

  constructor(
    parts: ErrorParts & {
      readonly blockers: readonly string[];
      readonly pending: boolean;
      readonly blocked_by?: readonly Blocker[] | undefined;
      readonly test_run?: SeenTests | null | undefined;
    },
  ) {
    super(parts);
    this.blockers = parts.blockers;
    this.blocked_by = parts.blocked_by ?? [];
    this.test_run = parts.test_run ?? null;
    this.pending = parts.pending;
    this.next = parts.pending ? "wait" : "resolve";
  }
}

/** The request is wrong as it is: a field that is missing or unknown, a transition that there is not, a body that is too large. */
export class RequestInvalid extends AgentError {
  override readonly name = "RequestInvalid";
  override readonly next = "change";
}

/** What was asked about is not there. */
export class NotFound extends AgentError {
  override readonly name = "NotFound";
  override readonly next = "change";
}

/** It contradicts what is: another request had this idempotency key, or somebody else was first. Look at the state, then decide. */
export class Conflict extends AgentError {
  override readonly name = "Conflict";
  override readonly next = "resolve";
}

/** Too many requests, for longer than this client retries. */
export class RateLimited extends AgentError {
  override readonly name = "RateLimited";
  override readonly next = "wait";
}

/** Nobody answered, or the server could not: the network, a restart, a time-out. What was asked may or may not have happened; asked again with the same request id it happens once. */
export class Unavailable extends AgentError {
  override readonly name = "Unavailable";
  override readonly next = "wait";
}

/** The server answered with a fault of its own, or with what nobody can read. */
export class ServerFault extends AgentError {
  override readonly name = "ServerFault";
}
