import type { Conclusion } from "./consensus-types.ts";
import type { Blocker, PhaseGuide, SeenTests } from "./contract-types.ts";
import type { Json, JsonObject } from "./json.ts";

export type { Json, JsonObject, Problem } from "./json.ts";

/** What was decided, and who said what. Shown here are the fields that an agent goes by; the rest is as the service has it. */
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

/** A task that was claimed. The phase token stays inside the client. */
export interface Claim extends PhaseGuide {
  readonly task: Task;
  readonly phase: string | null;
  readonly allowed_tools: readonly string[];
  readonly token_expires_at: string;
  readonly contract: { readonly name: string; readonly version: string; readonly digest: string };
}

/** What the server answers to a claim. */
export interface ClaimAnswer extends Claim {
  readonly phase_token: string;
}

/** A transition that was let through. */
export interface Entered extends PhaseGuide {
  readonly phase: string | null;
  readonly allowed_tools: readonly string[];
  /** What the contract warns of. */
  readonly notes: readonly string[];
  /** The reasons for which the mode `strict` would have refused. */
  readonly warnings: readonly string[];
  /** The number of the event that says so. */
  readonly sequence: number | null;
  /** Whether this answers a request that was made before. */
  readonly replayed: boolean;
  /** What somebody is to do now. */
  readonly directives: readonly JsonObject[];
  readonly token_expires_at: string | null;
  readonly decision: Decision;
}

/** What the server answers to a request for a transition. */
export interface TransitionAnswer extends Entered {
  readonly allowed: boolean;
  readonly new_token: string | null;
  readonly blockers: readonly string[];
  readonly blocked_by: readonly Blocker[];
  readonly test_run: SeenTests | null;
}

/** What the server answers to a sign of life. */
export interface HeartbeatAnswer {
  readonly lease_until: string;
  readonly phase_token: string;
  readonly phase: string | null;
  readonly token_expires_at: string;
}

/** What came of a tool call that was executed. */
export interface ToolAnswer {
  readonly id: string;
  readonly result: Json;
  readonly logged: true;
  /** The reasons for which the mode `strict` would have refused. */
  readonly warnings: readonly string[];
  readonly decision: Decision;
}

/** What the server answers to a call that a person is asked about. */
export interface PendingAnswer {
  readonly approval_id: string;
  readonly status: "pending";
  readonly decision: Decision;
}

/** One call to be decided. */
export interface ToolQuestion {
  /** The caller's own name for it; comes back with the answer. */
  readonly id?: string;
  readonly tool_name: string;
  readonly args: JsonObject;
}

/** What was decided about a call that nobody executed. */
export interface Checked {
  /** That of the record; in a batch the caller's. */
  readonly id?: string;
  /** Whether the call may be made: what was decided, under the enforcement mode. */
  readonly allowed: boolean;
  readonly effect: "allow" | "ask_user" | "deny";
  readonly applied: "allow" | "ask_user" | "deny";
  readonly code: string;
  readonly reason: string;
  readonly fix?: string;
  /** The rule that decided. All votes are on record. */
  readonly rule?: { readonly name: string; readonly file?: string; readonly line?: number };
  /** The reasons for which the mode `strict` would have refused. */
  readonly warnings: readonly string[];
}

/** One answer of a batch. */
export interface BatchChecked extends Checked {
  /** That of the record, for `reportResult`. */
  readonly call_id?: string;
}

/** What the server answers to a batch. */
export interface BatchAnswer {
  readonly decisions: readonly BatchChecked[];
}

/** The outcome of one call of a batch that the server made. */
export interface ToolOutcome {
  /** The caller's own name for the call. */
  readonly id?: string;
  /** That of the record. */
  readonly call_id?: string;
  /** `pending`: a person is asked. `skipped`: a call before it was not done, so this one was not tried. */
  readonly status: "done" | "failed" | "denied" | "pending" | "skipped";
  readonly result?: Json;
  readonly approval_id?: string;
  readonly code?: string;
  readonly reason?: string;
  readonly fix?: string;
  readonly warnings: readonly string[];
}

/** What the server answers to a batch of executions. */
export interface ExecutedBatch {
  readonly results: readonly ToolOutcome[];
}

/** What came of a checked call that the agent made itself. */
export interface ReportedResult {
  readonly id: string;
  readonly tool_name: string;
  readonly ok: boolean;
  readonly result?: Json;
}

/** A finished response of a model, to be judged. Text and calls as the model gave them. */
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

/** What was decided about a response. */
export interface ResponseAnswer {
  readonly accepted: boolean;
  readonly code: string;
  readonly reason: string;
  /** What to tell the model. */
  readonly message: string;
  /** How to go on where it was not accepted: with this message, from the beginning, or not at all. */
  readonly recovery?: "inline" | "restart" | "end";
  readonly sequence: number | null;
  readonly decision: Decision;
}

/** The decision about an answer or a vote, and its outcome. */
export interface ConcludedAnswer extends ResponseAnswer {
  readonly conclusion: Conclusion | null;
}

/** What was decided about a request to steer the workflow. */
export interface BehaviorAnswer {
  readonly applied: boolean;
  readonly directive?: JsonObject;
  readonly code: string;
  readonly reason: string;
  /** The oversight's answer, if it was asked; without a `risk`, why it failed. */
  readonly oversight?: {
    readonly risk: number | null;
    readonly advice: string;
    readonly by: string;
  };
  /** Keys of the request that nobody knows, and the known one that is near. */
  readonly ignored: readonly { readonly key: string; readonly near?: string }[];
  readonly sequence: number | null;
  readonly decision: Decision;
}

/** A tool that the server has. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly input_schema: JsonObject;
  readonly annotations: JsonObject;
  /** Whether the phase of the task allows it. */
  readonly allowed: boolean;
}

/** What the server answers about its tools. */
export interface ToolsAnswer {
  readonly phase: string | null;
  readonly tools: readonly ToolDescription[];
}

/** Where the task stands, as far as the contract lets agents see; a page of it. */
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
  /** Where the next page begins. */
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

/** A question to a person. One that is open has all that there is to see of it. */
export interface Approval {
  readonly id: string;
  readonly kind: "gate" | "call" | "pause" | "hold";
  readonly state: "open" | "approved" | "used" | "rejected" | "superseded" | "settled";
  readonly agent: string | null;
  readonly task: string | null;
  readonly by?: string;
  readonly reason?: string;
  readonly expires_at?: string | null;
  readonly [more: string]: unknown;
}
