import type { Blocker, ObservedTests } from "./contract-types.ts";
import type { Problem } from "./types.ts";

/**
 * What to do after an error. `claim`: claim the task again, or another one. `change`: the request is wrong, so change it. `resolve`: remove
 * the blockers, then ask again. `wait`: ask again later. `stop`: an agent can do nothing, and a person must help.
 */
export type NextStep = "claim" | "change" | "resolve" | "wait" | "stop";

/** The fields of an error. */
export interface ErrorParts {
  /** The server's code, or one of this client: `not_claimed`, `unreachable`, `answer_unreadable`, `request_invalid`. */
  readonly code: string;
  readonly message: string;
  readonly fix?: string | undefined;
  /** The HTTP status. Left out if no request was sent or no answer came. */
  readonly status?: number | undefined;
  /** The problem details of the answer, unchanged. */
  readonly problem?: Problem | undefined;
  /** How long the server asks to wait, in milliseconds. Left out if it does not say. */
  readonly retry_after_ms?: number | undefined;
  readonly cause?: unknown;
}

/** The base of all errors of this client. The class says what happened, and `next` what to do. No part of it contains a credential. */
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

/** The credential is missing, unknown or forged. Asking again does not help; another credential is needed. */
export class Unauthenticated extends AgentError {
  override readonly name = "Unauthenticated";
}

/** The credential is known but may not do this, such as an agent that asks for something only operators may do. */
export class NotPermitted extends AgentError {
  override readonly name = "NotPermitted";
}

/** The phase token is no longer valid: it has expired, or the task has a newer one. Claim the same task again. */
export class TokenExpired extends AgentError {
  override readonly name = "TokenExpired";
  override readonly next = "claim";
}

/** This agent does not hold the task: it never claimed it, its lease has ended, or the task is over. Claim again before you continue. */
export class NotClaimed extends AgentError {
  override readonly name = "NotClaimed";
  override readonly next = "claim";
}

/** No task can be claimed at the moment. */
export class NoTaskReady extends AgentError {
  override readonly name = "NoTaskReady";
  override readonly next = "wait";
}

/** The rules deny this call. Make another call, or change the phase: the same call gets the same answer. */
export class ToolForbidden extends AgentError {
  override readonly name = "ToolForbidden";
  override readonly next = "change";
  /** The name of the tool. */
  readonly tool: string | undefined;

  constructor(parts: ErrorParts & { readonly tool: string | undefined }) {
    super(parts);
    this.tool = parts.tool;
  }
}

/** The call was allowed but the tool failed: the arguments were wrong, or the files were not as expected. */
export class ToolFailed extends AgentError {
  override readonly name = "ToolFailed";
  override readonly next = "change";
}

/** A person must approve first. Call `waitForApproval(approval_id)`, then make the same call again. */
export class ApprovalPending extends AgentError {
  override readonly name = "ApprovalPending";
  override readonly next = "wait";
  readonly approval_id: string;

  constructor(parts: ErrorParts & { readonly approval_id: string }) {
    super(parts);
    this.approval_id = parts.approval_id;
  }
}

/** A person said no, or nobody answered in time (see `code`). */
export class ApprovalRefused extends AgentError {
  override readonly name = "ApprovalRefused";
  override readonly next = "change";
}

/** The transition was refused, and the task stays in its phase. */
export class TransitionBlocked extends AgentError {
  override readonly name = "TransitionBlocked";
  override readonly next: NextStep;
  /** The reasons, one sentence each; never empty. */
  readonly blockers: readonly string[];
  /** Whether nothing is wrong and only others must act: a person who approves, or reviewers. */
  readonly pending: boolean;
  /** The same as `blockers`, each with its code, its checks and a fix. */
  readonly blocked_by: readonly Blocker[];
  /** The result of the tests that the server ran for the request; `null` if it ran none. */
  readonly test_run: ObservedTests | null;

  constructor(
    parts: ErrorParts & {
      readonly blockers: readonly string[];
      readonly pending: boolean;
      readonly blocked_by?: readonly Blocker[] | undefined;
      readonly test_run?: ObservedTests | null | undefined;
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

/** The request is wrong: a missing or unknown field, an unknown transition, or a body that is too large. */
export class RequestInvalid extends AgentError {
  override readonly name = "RequestInvalid";
  override readonly next = "change";
}

/** The requested object does not exist. */
export class NotFound extends AgentError {
  override readonly name = "NotFound";
  override readonly next = "change";
}

/**
 * The request conflicts with the current state: another request had this idempotency key, or another caller was first. Check the state,
 * then decide.
 */
export class Conflict extends AgentError {
  override readonly name = "Conflict";
  override readonly next = "resolve";
}

/** Too many requests, for longer than this client retries. */
export class RateLimited extends AgentError {
  override readonly name = "RateLimited";
  override readonly next = "wait";
}

/**
 * No usable answer came: the network failed, the server restarted, or a time limit passed. The request may or may not have taken effect.
 * Repeated with the same request id, it takes effect once.
 */
export class Unavailable extends AgentError {
  override readonly name = "Unavailable";
  override readonly next = "wait";
}

/** The server failed, or its answer is unreadable. */
export class ServerFault extends AgentError {
  override readonly name = "ServerFault";
}
