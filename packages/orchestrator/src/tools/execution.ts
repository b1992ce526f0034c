import type { Decision, Effect, Json, JsonObject, LogEvent } from "@bylaw/kernel";
import type { AgentCaller } from "../auth/caller.ts";
import type { IdempotentRequest } from "../service/idempotent-request.ts";

/** A tool call of an agent. */
export interface Call {
  readonly tool: string;
  readonly args: JsonObject;
}

/** What was decided about a call. */
export interface Decided {
  /** Of the call, for its result; left out where nothing was recorded. */
  readonly id?: string;
  readonly decision: Decision;
  readonly applied: Effect;
}

/** What became of a call that was made: what the tool said, or why it did not. */
export type Executed =
  | { readonly ok: true; readonly result: Json }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly fix: string | null;
    };

/** A call that was decided and, where it was allowed, made. */
export interface Execution extends Decided {
  readonly id: string;
  /** Left out where it was not allowed. */
  readonly executed?: Executed;
  /** The event of a question to a person. */
  readonly asked?: LogEvent;
}

/** What an agent asks to have made. */
export interface ExecutionRequest {
  readonly caller: AgentCaller;
  readonly call: Call;
  readonly named: IdempotentRequest | undefined;
  /** Holds whoever had to wait to its token once more, and looks again what is known of the request. */
  readonly again: () => Promise<IdempotentRequest | undefined>;
}

/** Runs tools, at most so many at once. */
export interface Executor {
  /** Decides when there is a turn for it, makes the call, and records both. The same request is made once. */
  execute(request: ExecutionRequest): Promise<Execution>;
  /** Works while no call is made at a task. */
  still<T>(task: string, work: () => Promise<T>): Promise<T>;
}
