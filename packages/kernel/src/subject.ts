import type { Json, JsonObject } from "./json.ts";
import type { HookName } from "./verdict.ts";

/** Who is asked when nothing decides: `ask` a person, wave edits through, or wave everything through. */
export type ApprovalMode = "ask" | "autoEdit" | "yolo";

/** What every subject may say about where it comes from. */
export interface SubjectContext {
  readonly id?: string;
  readonly run?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly task?: string;
  /** RFC 3339, UTC. */
  readonly at?: string;
  /** `false`: nobody can be asked. Left out: somebody can. */
  readonly interactive?: boolean;
  /** The phase of the task. In a run it comes from the log, whatever the caller says. */
  readonly phase?: string;
  /** Verified claims of the caller's token. */
  readonly claims?: JsonObject;
  /** What the host knows and a plugin may want, by name. */
  readonly host?: JsonObject;
  /** What plugins prepared, by plugin name. Only the kernel writes it. */
  readonly facts?: JsonObject;
}

/** May this tool call run? */
export interface ToolCall extends SubjectContext {
  readonly hook: "beforeToolCall";
  readonly tool: string;
  /** The named arguments; an array where a host has only positions. */
  readonly args: JsonObject | readonly Json[];
  /** The MCP server, as the host names it. */
  readonly server?: string;
  /** The tools of every MCP server that the host registered, by server. */
  readonly servers?: { readonly [server: string]: readonly string[] };
  /** The tool's own hints. They come from the tool, so they can only tighten. */
  readonly annotations?: JsonObject;
  /** Absolute directories. */
  readonly cwd?: string;
  readonly workspace?: string;
  readonly home?: string;
  readonly approval_mode?: ApprovalMode;
}

/** May this task enter that phase? */
export interface Transition extends SubjectContext {
  readonly hook: "onTransition";
  readonly task: string;
  readonly from?: string;
  readonly to: string;
  /** The submitted artifacts, by type. */
  readonly artifacts: JsonObject;
  readonly reason?: string;
  /** The same request with the same id is answered as it was the first time, and recorded once. */
  readonly request_id?: string;
}

/** An agent asks to steer the workflow: what happens? */
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

/** A response is complete: does it comply? */
export interface Response extends SubjectContext {
  readonly hook: "onEnforcement";
  readonly text?: string;
  readonly tool_calls?: readonly ResponseCall[];
  readonly available_tools?: readonly string[];
  /** All three count from 1. */
  readonly round?: number;
  readonly attempt?: number;
  readonly max_attempts?: number;
}

export type Subject = ToolCall | Transition | Behavior | Response;

/** The subject of one hook. */
export type SubjectOf<H extends HookName> = Extract<Subject, { hook: H }>;

/** The approval modes, strictest first. */
export const APPROVAL_MODES: readonly ApprovalMode[] = ["ask", "autoEdit", "yolo"];
