import type { Json, JsonObject, Kernel, Response } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";

/** The agent and its context, for calls that do not name them. */
interface Caller {
  readonly agent?: string | undefined;
  /** The task. The phase of the task decides which tools are allowed. */
  readonly task?: string | undefined;
  /** The conversation. In each one, the same call with the same id gets one answer. */
  readonly session?: string | undefined;
}

/** The options of a guard. */
export interface ToolGuardOptions extends Caller {
  /** The kernel of the run. */
  readonly kernel: Kernel;
  /** The run that records every answer. If its store outlives the process, so do the questions. */
  readonly run: Run;
  /** The name of the framework. Rules see it as `host.name`. */
  readonly host: string;
  /** The working folder. Absolute path. Default: the working directory of this process. */
  readonly cwd?: string;
  /** The workspace. Absolute path. Default: `cwd`. */
  readonly workspace?: string;
  /** The home folder. Absolute path. Default: that of the user. */
  readonly home?: string;
  /** Whether a person can be asked. Default: `true`. If not, a question becomes a deny. */
  readonly interactive?: boolean;
}

/** A tool call of a framework. */
export interface GuardedCall extends Caller {
  readonly tool: string;
  /** The arguments. They must be plain JSON, because the value that is judged must be the value that runs. */
  readonly args: unknown;
  /** The framework's id for the call. */
  readonly id?: string | undefined;
  /** The MCP server of the tool. */
  readonly server?: string | undefined;
  /** Absolute path, if the agent has changed its folder. */
  readonly cwd?: string | undefined;
}

/** The decision about a call. */
export type ToolAnswer =
  /**
   * Run the tool with `args`, which is a copy of the arguments that were judged. `changed`: why they are not those of the call, for the
   * model. A rule denied those or asked about them, offered these instead, and another one allows these.
   */
  | { readonly kind: "run"; readonly args: JsonObject; readonly changed?: string }
  /** `reason` is for the model. `halt`: the run is over, so every further call is denied too. */
  | { readonly kind: "deny"; readonly reason: string; readonly halt?: true }
  /** A person must approve exactly this call. `question` is its id for `bylaw approve`. */
  | { readonly kind: "ask"; readonly reason: string; readonly question: string };

/** A person's answer, as the framework reports it. */
export interface PersonAnswer {
  readonly approved: boolean;
  /** Who answered. Default: `user`. */
  readonly by?: string | undefined;
  /** The reason for a refusal. */
  readonly reason?: string | undefined;
}

/** The decision about a finished response. */
export type ResponseAnswer =
  | { readonly kind: "accepted" }
  /** The model must try again after this message. */
  | { readonly kind: "retry"; readonly message: string }
  /** All attempts are used up. */
  | { readonly kind: "end"; readonly message: string };

/** Guards the tools of an agent framework. Its methods are fields, so that each can be passed on by itself. */
export interface ToolGuard {
  /** Judges a call that a model just made. Never throws: a call that cannot be judged is denied. */
  readonly judge: (call: GuardedCall) => Promise<ToolAnswer>;
  /** Records a person's answer. An approval lets the call start once, if `judge` asked about exactly this call with this id. Never throws. */
  readonly answer: (call: GuardedCall, answer: PersonAnswer) => Promise<ToolAnswer>;
  /**
   * Whether a call may run now. Uses up the permission that `judge` or `answer` gave, or judges the call. `answered`: the person's
   * answer, if the call comes back with one. Such a call runs with its own arguments or not at all. Never throws.
   */
  readonly start: (call: GuardedCall, answered?: PersonAnswer) => Promise<ToolAnswer>;
  /** Records how a call ended, and drops its permission. Throws the errors of the run. */
  readonly finish: (
    call: GuardedCall,
    ended: { readonly ok: boolean; readonly result?: Json },
  ) => Promise<void>;
  /**
   * Starts a call, does the work and records how it ended. Throws BYLAW_TOOL_REFUSED with the reason for the model, and the errors
   * of the work.
   */
  readonly run: <T>(
    call: GuardedCall,
    work: (args: JsonObject, changed?: string) => T | Promise<T>,
    answered?: PersonAnswer,
  ) => Promise<T>;
  /** The tools that the phase of the task allows. Each call is still judged. */
  readonly allowedTools: (
    tools: readonly string[],
    caller?: Pick<GuardedCall, "agent" | "task">,
  ) => Promise<readonly string[]>;
  /** Judges a finished response. Never throws: a response that cannot be judged ends the turn. */
  readonly respond: (response: Omit<Response, "hook">) => Promise<ResponseAnswer>;
}
