import type { Contract } from "@bylaw/contract";
import type { Allowing } from "@bylaw/dashboard";
import type { BylawError, Kernel, LogEvent } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import type { Tasks } from "@bylaw/plugin-tasks";
import type { TokenSigner } from "@bylaw/plugin-tokens";
import type { CallContext, Tool } from "@bylaw/tools";
import type { Operator } from "../approvals/operators.ts";
import type { Caller } from "../auth/caller.ts";
import type { Refusal, RefusedRequest, RouteName } from "../auth/refusal.ts";
import type { Settings } from "../config/settings.ts";
import type { InFlight } from "../http/in-flight.ts";
import type { Problem } from "../http/problem.ts";
import type { AnswerLinks } from "../notify/answer-link.ts";
import type { Log } from "../observe/log.ts";
import type { Operations } from "./operations.ts";
import type { Executor } from "../tools/executor.ts";
import type { TestObserver } from "../tasks/test-observer.ts";
import type { TokenIssuer } from "../tasks/token-issuer.ts";

/** Tells what would have allowed a recorded call, under the policies of a kernel. */
export type WhatAllows = (
  event: LogEvent,
  at: { readonly phase: string | null; readonly kernel: Kernel },
) => Promise<Omit<Allowing, "phases">>;

/** Everything that routes use. It contains no HTTP. */
export interface Service {
  readonly settings: Settings;
  /** The run that this node takes part in. Its view finds projections by name. */
  readonly run: Run;
  readonly store: Store;
  readonly kernel: Kernel;
  readonly contract: Contract;
  readonly tasks: Tasks;
  readonly signer: TokenSigner;
  readonly tokens: TokenIssuer;
  /** The links by which operators answer. */
  readonly links: AnswerLinks;
  /** The operator of the file with this name, as it is now. */
  readonly operatorNamed: (name: string) => Operator | undefined;
  /** What operators see and answer, and the scheduled work. */
  readonly operations: Operations;
  /** By name. */
  readonly tools: ReadonlyMap<string, Tool<CallContext>>;
  /** Returns the absolute path of the folder in which the agent of a task works. */
  readonly workspaceOf: (task: string) => string;
  readonly observeTestsOf: TestObserver;
  /** Removes the secrets of the server from a text. */
  readonly conceal: (text: string) => string;
  readonly executor: Executor;
  /** Resolves to whether the store can write. */
  readonly canCommit: () => Promise<boolean>;
  /** Returns why nothing is granted any more, if the log was tampered with. */
  readonly broken: () => BylawError | undefined;
  /** RFC 3339, UTC. */
  readonly now: () => string;
  readonly log: Log;
  /** Aborted when the server begins to close: it is no longer ready, and waiting requests end. */
  readonly closing: AbortSignal;
  /** Aborted when the time for requests to end has passed. */
  readonly over: AbortSignal;
  /** Identifies a caller by the Authorization header. */
  authenticate(authorization: string | undefined): Caller | Refusal | Promise<Caller | Refusal>;
  /** Whether an operator has this name, in any spelling. No agent may have it. */
  readonly isOperatorName: (name: string) => boolean;
  /** Counts and records a refused request. Resolves to the problem to throw. */
  refused(refusal: Refusal, request: RefusedRequest): Promise<Problem>;
  /** Counts one or more requests of an agent, and throws the problem of one above the limit. */
  limit?(agent: string, count?: number): void;
  /** The bytes of request bodies that this node holds. */
  readonly inFlight: InFlight;
  readonly allowing?: WhatAllows;
  /** Called for every answer. */
  answered?(route: RouteName, status: number, duration_ms: number): void;
}
