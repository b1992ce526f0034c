import type { Conclusion } from "./consensus-types.ts";
import type { Blocker, PhaseGuide, ObservedTests } from "./contract-types.ts";
import type { Json, JsonObject } from "./json.ts";

export type { Json, JsonObject, Problem } from "./json.ts";

/** A decision with its votes. Only the fields that agents need are typed; the rest is as in the service. */
export interface Decision extends JsonObject {
  readonly effect: "allow" | "ask_user" | "deny";
  readonly code: string;
  readonly reason: string;
}

/** A task as its agent sees it. */
export interface Task {
  readonly id: string;
  readonly agent_id: string;
  readonly title: string | null;
  readonly capabilities: readonly string[];
  readonly dependencies: readonly string[];
  readonly assigned_phase: string | null;
  /** Counts the claims of the task. */
  readonly fence: number;
  /** When the claim ends without a heartbeat, ISO 8601. */
  readonly lease_until: string;
}

/** A claimed task. The phase token stays inside the client. */
export interface Claim extends PhaseGuide {
  readonly task: Task;
  readonly phase: string | null;
  readonly allowed_tools: readonly string[];
  readonly token_expires_at: string;
  readonly contract: { readonly name: string; readonly version: string; readonly digest: string };
}

/** The server's answer to a claim. */
export interface ClaimAnswer extends Claim {
  readonly phase_token: string;
}

/** A granted transition. */
export interface PhaseEntered extends PhaseGuide {
  readonly phase: string | null;
  readonly allowed_tools: readonly string[];
  /** The warnings of the contract. */
  readonly notes: readonly string[];
  /** The reasons for which the mode `strict` would have refused. */
  readonly warnings: readonly string[];
  /** The sequence of the event of the transition. */
  readonly sequence: number | null;
  /** Whether this is the answer to a repeated request. */
  readonly replayed: boolean;
  /** The directives that are open now. */
  readonly directives: readonly JsonObject[];
  readonly token_expires_at: string | null;
  readonly decision: Decision;
}

/** The server's answer to a transition request. */
export interface TransitionAnswer extends PhaseEntered {
  readonly allowed: boolean;
  readonly new_token: string | null;
  readonly blockers: readonly string[];
  readonly blocked_by: readonly Blocker[];
  readonly test_run: ObservedTests | null;
}

/** The server's answer to a heartbeat. */
export interface HeartbeatAnswer {
  readonly lease_until: string;
  readonly phase_token: string;
  readonly phase: string | null;
  readonly token_expires_at: string;
}

/** The result of an executed tool call. */
export interface ToolAnswer {
  readonly id: string;
  readonly result: Json;
  readonly logged: true;
  /** The reasons for which the mode `strict` would have refused. */
  readonly warnings: readonly string[];
  readonly decision: Decision;
}

/** The server's answer to a call that a person must approve. */
export interface PendingAnswer {
  readonly approval_id: string;
  readonly status: "pending";
  readonly decision: Decision;
}

/** One call to be decided. */
export interface ToolQuestion {
  /** The caller's own id for the call, which the answer repeats. */
  readonly id?: string;
  readonly tool_name: string;
  readonly args: JsonObject;
}

/** The decision about a call that was not executed. */
export interface CheckAnswer {
  /** The call id in the event log. In a batch, the caller's own id. */
  readonly id?: string;
  /** Whether the call may be made: the decision under the enforcement mode. */
  readonly allowed: boolean;
  readonly effect: "allow" | "ask_user" | "deny";
  readonly applied: "allow" | "ask_user" | "deny";
  readonly code: string;
  readonly reason: string;
  readonly fix?: string;
  /** The rule that decided. The event log has all votes. */
  readonly rule?: { readonly name: string; readonly file?: string; readonly line?: number };
  /** The reasons for which the mode `strict` would have refused. */
  readonly warnings: readonly string[];
}

/** One answer of a batch. */
export interface BatchCheckAnswer extends CheckAnswer {
  /** The call id in the event log, for `reportResult`. */
  readonly call_id?: string;
}

/** The server's answer to a batch. */
export interface BatchAnswer {
  readonly decisions: readonly BatchCheckAnswer[];
}

/** The outcome of one call of a batch that the server made. */
export interface ToolOutcome {
  /** The caller's own id for the call. */
  readonly id?: string;
  /** The call id in the event log. */
  readonly call_id?: string;
  /** `pending`: a person must approve. `skipped`: an earlier call was not done, so this one was not tried. */
  readonly status: "done" | "failed" | "denied" | "pending" | "skipped";
  readonly result?: Json;
  readonly approval_id?: string;
  readonly code?: string;
  readonly reason?: string;
  readonly fix?: string;
  readonly warnings: readonly string[];
}

/** The server's answer to a batch of executions. */
export interface ExecutedBatch {
  readonly results: readonly ToolOutcome[];
}

/** The result of a checked call that the agent made itself. */
export interface ReportedResult {
  readonly id: string;
  readonly tool_name: string;
  readonly ok: boolean;
  readonly result?: Json;
}

/** A finished response of a model, with its text and calls as the model gave them. */
export interface ModelResponse {
  readonly text?: string;
  readonly tool_calls?: readonly {
    readonly id?: string;
    readonly tool: string;
    readonly args?: Json;
  }[];
  /** The names of the tools that the model was given. */
  readonly available_tools?: readonly string[];
}

/** The decision about a response. */
export interface ResponseAnswer {
  readonly accepted: boolean;
  readonly code: string;
  readonly reason: string;
  /** The message for the model. */
  readonly message: string;
  /** How to continue if the response was refused: with this message, from the beginning, or not at all. */
  readonly recovery?: "inline" | "restart" | "end";
  readonly sequence: number | null;
  readonly decision: Decision;
}

/** The decision about an answer or a vote, and its outcome. */
export interface ConcludedAnswer extends ResponseAnswer {
  readonly conclusion: Conclusion | null;
}

/** The decision about a request to steer the workflow. */
export interface BehaviorAnswer {
  readonly applied: boolean;
  readonly directive?: JsonObject;
  readonly code: string;
  readonly reason: string;
  /** What to do instead, if the request was refused. */
  readonly fix?: string;
  /** The oversight's answer, if it was asked. Without a `risk`, why it failed. */
  readonly oversight?: {
    readonly risk: number | null;
    readonly advice: string;
    readonly by: string;
  };
  /** Unknown keys of the request, each with the nearest known one. */
  readonly ignored: readonly { readonly key: string; readonly near?: string }[];
  readonly sequence: number | null;
  readonly decision: Decision;
}

/** A tool of the server. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly input_schema: JsonObject;
  readonly annotations: JsonObject;
  /** Whether the phase of the task allows it. */
  readonly allowed: boolean;
}

/** The server's answer about its tools. */
export interface ToolsAnswer {
  readonly phase: string | null;
  readonly tools: readonly ToolDescription[];
}

/** The state of the task, as far as the contract shows it to agents; one page of it. */
export interface Snapshot {
  readonly task_id: string;
  readonly task_dependencies?: readonly string[];
  readonly completed_tasks?: readonly string[];
  readonly current_phase?: string | null;
  readonly blockers?: readonly {
    readonly code: string;
    readonly reason: string;
    readonly fix?: string;
  }[];
  readonly prd_state?: JsonObject | null;
  /** The cursor of the next page. */
  readonly next: string | null;
}

/** One event of the log. */
export interface LogEvent {
  readonly timestamp: string;
  readonly sequence: number;
  readonly session_id: string;
  readonly event_type: string;
  readonly agent_id: string | null;
  readonly task_id: string | null;
  readonly details: JsonObject;
}

/** A question to a person. An open one has everything that a person needs to see. */
export interface Approval {
  readonly id: string;
  readonly kind: "gate" | "call" | "pause" | "hold";
  readonly state: "open" | "approved" | "used" | "rejected" | "superseded" | "settled" | "expired";
  readonly agent: string | null;
  readonly task: string | null;
  readonly by?: string;
  readonly reason?: string;
  readonly expires_at?: string | null;
  readonly [more: string]: unknown;
}
