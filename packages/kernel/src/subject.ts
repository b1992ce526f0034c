import type { Json, JsonObject } from "./json.ts";
import type { HookName } from "./verdict.ts";

/** What happens to calls that no rule decides: `ask` a person, `autoEdit` allows edits, `yolo` allows everything. */
export type ApprovalMode = "ask" | "autoEdit" | "yolo";

/** The fields that every subject may have, about its origin. */
export interface SubjectContext {
  readonly id?: string;
  readonly run?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly task?: string;
  /** The time, in RFC 3339 format, UTC. */
  readonly at?: string;
  /** `false`: no one can be asked. Default: someone can. */
  readonly interactive?: boolean;
  /** The phase of the task. In a run, it comes from the log, whatever the caller passes. */
  readonly phase?: string;
  /** Verified claims of the caller's token. */
  readonly claims?: JsonObject;
  /** What the host knows and a plugin may need, by name. */
  readonly host?: JsonObject;
  /** The facts that plugins prepared, by plugin name. Only the kernel writes them. */
  readonly facts?: JsonObject;
}

/** The question: may this tool call run? */
export interface ToolCall extends SubjectContext {
  readonly hook: "beforeToolCall";
  readonly tool: string;
  /** The named arguments. An array if the host has only positions. */
  readonly args: JsonObject | readonly Json[];
  /** The MCP server, as the host names it. */
  readonly server?: string;
  /** The tools of every MCP server that the host registered, by server. */
  readonly servers?: { readonly [server: string]: readonly string[] };
  /** The tool's own hints. They come from the tool, so they can only make a decision stricter. */
  readonly annotations?: JsonObject;
  /** Absolute directories. */
  readonly cwd?: string;
  readonly workspace?: string;
  readonly home?: string;
  readonly approval_mode?: ApprovalMode;
}

/** The question: may this task enter that phase? */
export interface Transition extends SubjectContext {
  readonly hook: "onTransition";
  readonly task: string;
  readonly from?: string;
  readonly to: string;
  /** The submitted artifacts, by type. */
  readonly artifacts: JsonObject;
  readonly reason?: string;
  /** The id of the request. A repeated request with the same id gets the same answer and is recorded once. */
  readonly request_id?: string;
}

/** An agent's request to steer the workflow. */
export interface Behavior extends SubjectContext {
  readonly hook: "onBehavior";
  readonly action: string;
  readonly reason?: string;
  readonly trigger_agent_id?: string;
  readonly step?: string;
}

/** One call inside a {@link Response}. */
export interface ResponseCall {
  readonly id?: string;
  readonly tool: string;
  readonly args?: Json;
}

/** The question: does this complete response comply? */
export interface Response extends SubjectContext {
  readonly hook: "onEnforcement";
  readonly text?: string;
  readonly tool_calls?: readonly ResponseCall[];
  readonly available_tools?: readonly string[];
  /** These three count from 1. */
  readonly round?: number;
  readonly attempt?: number;
  readonly max_attempts?: number;
}

export type Subject = ToolCall | Transition | Behavior | Response;

/** The subject of one hook. */
export type SubjectOf<H extends HookName> = Extract<Subject, { hook: H }>;

/** The approval modes, strictest first. */
export const APPROVAL_MODES: readonly ApprovalMode[] = ["ask", "autoEdit", "yolo"];
