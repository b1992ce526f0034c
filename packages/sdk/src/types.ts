/** A value that JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An object that JSON can say. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** What was decided, and who said what. Shown here are the fields that an agent goes by; the rest is as the service has it. */
export interface Decision extends JsonObject {
  readonly effect: "allow" | "ask_user" | "deny";
  readonly code: string;
  readonly reason: string;
}

/** A task as its agent sees it. */
export interface Task extends JsonObject {
  readonly id: string;
  readonly agent_id: string;
  readonly capabilities: readonly string[];
  readonly assigned_phase: string;
  readonly fence: number;
  /** When the claim ends without a heartbeat, ISO 8601. */
  readonly lease_until: string;
}

/** A task that was claimed. The phase token stays inside the client. */
export interface Claim {
  readonly task: Task;
  readonly phase: string;
  readonly allowed_tools: readonly string[];
  readonly contract: { readonly name: string; readonly version: string; readonly digest: string };
}

/** What the server answers to a claim. */
export interface ClaimAnswer extends Claim {
  readonly phase_token: string;
}

/** What the server answers to a request for a transition. */
export interface TransitionAnswer extends Entered {
  readonly allowed: boolean;
  readonly new_token: string | null;
  readonly blockers: readonly string[];
}

/** What the server answers to a sign of life. */
export interface HeartbeatAnswer {
  readonly lease_until: string;
  readonly phase_token: string;
}

/** A transition that was let through. */
export interface Entered {
  readonly phase: string;
  readonly decision: Decision;
  /** The number of the event that says so. */
  readonly sequence: number;
}

/** What came of a tool call that was executed. */
export interface ToolAnswer {
  readonly id: string;
  readonly result: Json;
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
export interface Checked extends JsonObject {
  readonly allowed: boolean;
  readonly effect: "allow" | "ask_user" | "deny";
  readonly code: string;
  readonly reason: string;
}

/** Where the run stands. */
export interface Snapshot extends JsonObject {
  readonly task_dependencies: readonly Json[];
  readonly completed_tasks: readonly Json[];
  readonly current_phase: string | null;
  readonly blockers: readonly Json[];
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

/** A question to a person. */
export interface Approval extends JsonObject {
  readonly id: string;
  readonly state: "open" | "approved" | "rejected" | "used" | "superseded" | "settled";
}
