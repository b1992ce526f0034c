import type { Contract } from "@bylaw/contract";
import type { BylawError, Kernel } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import type { Tasks } from "@bylaw/plugin-tasks";
import type { TokenSigner } from "@bylaw/plugin-tokens";
import type { CallContext, Tool } from "@bylaw/tools";
import type { Caller } from "../auth/caller.ts";
import type { Refusal, RefusedRequest, RouteName } from "../auth/refusal.ts";
import type { Settings } from "../config/settings.ts";
import type { InFlight } from "../http/in-flight.ts";
import type { Problem } from "../http/problem.ts";
import type { Log } from "../observe/log.ts";
import type { Operations } from "./operations.ts";
import type { Executor } from "../tools/executor.ts";
import type { TestObserver } from "../tasks/test-observer.ts";
import type { TokenIssuer } from "../tasks/token-issuer.ts";

/** All that routes work with. There is no HTTP in it. */
export interface Service {
  readonly settings: Settings;
  /** The run that this node takes part in; its view finds projections by their names. */
  readonly run: Run;
  readonly store: Store;
  readonly kernel: Kernel;
  readonly contract: Contract;
  readonly tasks: Tasks;
  readonly signer: TokenSigner;
  readonly tokens: TokenIssuer;
  /** What operators look at and answer, and what time makes due. */
  readonly operations: Operations;
  /** By name. */
  readonly tools: ReadonlyMap<string, Tool<CallContext>>;
  /** The absolute folder that the agent of a task works in. */
  readonly workspaceOf: (task: string) => string;
  readonly observeTestsOf: TestObserver;
  /** A text without the secrets of the server. */
  readonly conceal: (text: string) => string;
  readonly executor: Executor;
  /** Whether the store can write. */
  readonly canCommit: () => Promise<boolean>;
  /** Why nothing is granted any more, where the log turned out to be changed. */
  readonly broken: () => BylawError | undefined;
  /** RFC 3339, UTC. */
  readonly now: () => string;
  readonly log: Log;
  /** Is aborted when the server begins to close: it is not ready any more, and nobody waits for something to happen. */
  readonly closing: AbortSignal;
  /** Is aborted when those that are still at work had their time. */
  readonly over: AbortSignal;
  /** Finds out who calls, by the Authorization header. */
  authenticate(authorization: string | undefined): Caller | Refusal | Promise<Caller | Refusal>;
  /** Whether an operator has this name, however it is written: no agent may. */
  readonly isOperatorName: (name: string) => boolean;
  /** Counts and records a request that is not let in; resolves to the problem to throw. */
  refused(refusal: Refusal, request: RefusedRequest): Promise<Problem>;
  /** Counts a request of an agent, or what is as much as several, and throws the problem of one too many. */
  limit?(agent: string, count?: number): void;
  /** The bytes of request bodies that this node holds. */
  readonly inFlight: InFlight;
  /** Is told of every answer. */
  answered?(route: RouteName, status: number, duration_ms: number): void;
}
