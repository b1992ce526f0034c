import type { Json, JsonObject, Kernel, Response } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";

/** Agent and place, for calls that do not name them. */
interface Caller {
  readonly agent?: string | undefined;
  /** The task whose phase counts. */
  readonly task?: string | undefined;
  /** The conversation. The same call under the same id is answered once in each. */
  readonly session?: string | undefined;
}

/** The options of a guard. */
export interface ToolGuardOptions extends Caller {
  /** The kernel of the run. */
  readonly kernel: Kernel;
  /** Keeps every answer. With a store that outlives the process, questions do too. */
  readonly run: Run;
  /** The name of the framework, which rules see as `host.name`. */
  readonly host: string;
  /** Absolute path. Default: the working directory of this process. */
  readonly cwd?: string;
  /** Absolute path. Default: `cwd`. */
  readonly workspace?: string;
  /** Absolute path. Default: the home folder of the user. */
  readonly home?: string;
  /** Whether a person can be asked. Default: `true`; otherwise a question becomes a deny. */
  readonly interactive?: boolean;
}

/** A tool call as a framework has it. */
export interface GuardedCall extends Caller {
  readonly tool: string;
  /** Plain JSON: what is judged must be what runs. */
  readonly args: unknown;
  /** The framework's id of the call. */
  readonly id?: string | undefined;
  /** The MCP server of the tool. */
  readonly server?: string | undefined;
  /** Absolute path, where the agent changes its folder. */
  readonly cwd?: string | undefined;
}

/** The decision about a call. */
export type ToolAnswer =
  /** `args` is a copy of what was judged: run the tool with it. */
  | { readonly kind: "run"; readonly args: JsonObject }
  /** `reason` is for the model. */
  | { readonly kind: "deny"; readonly reason: string }
  /** A person has to approve this very call. `bylaw approve` knows the question by its id. */
  | { readonly kind: "ask"; readonly reason: string; readonly question: string };

/** A person's answer, as the framework has it. */
export interface PersonAnswer {
  readonly approved: boolean;
  /** Who answered. Default: `user`. */
  readonly by?: string | undefined;
  /** Why not. */
  readonly reason?: string | undefined;
}

/** The decision about a finished response. */
export type ResponseAnswer =
  | { readonly kind: "accepted" }
  /** The model tries again after this message. */
  | { readonly kind: "retry"; readonly message: string }
  /** The attempts are spent. */
  | { readonly kind: "end"; readonly message: string };

/** Guards the tools of an agent framework. Its methods are fields, so that each can be passed on alone. */
export interface ToolGuard {
  /** Judges a call that a model just made. Never throws: what cannot be judged is denied. */
  readonly judge: (call: GuardedCall) => Promise<ToolAnswer>;
  /**
   * Puts a person's answer on record. A yes lets the call start once, if `judge` asked about exactly this call under this id. Never
   * throws.
   */
  readonly answer: (call: GuardedCall, answer: PersonAnswer) => Promise<ToolAnswer>;
  /**
   * Whether a call may run now: spends what `judge` or `answer` allowed, or judges it. `answered`: what a person said to it, where the
   * call comes back with that. Never throws.
   */
  readonly start: (call: GuardedCall, answered?: PersonAnswer) => Promise<ToolAnswer>;
  /** Puts on record how a call ended, and forgets what allowed it. Throws what the run throws. */
  readonly finish: (
    call: GuardedCall,
    ended: { readonly ok: boolean; readonly result?: Json },
  ) => Promise<void>;
  /** Starts a call, does the work and records how it ended. Throws BYLAW_TOOL_REFUSED, with the reason for the model, and what the work throws. */
  readonly run: <T>(
    call: GuardedCall,
    work: (args: JsonObject) => T | Promise<T>,
    answered?: PersonAnswer,
  ) => Promise<T>;
  /** The tools that the phase of the task allows. Every call is judged on its own as well. */
  readonly allowedTools: (
    tools: readonly string[],
    caller?: Pick<GuardedCall, "agent" | "task">,
  ) => Promise<readonly string[]>;
  /** Judges a finished response. Never throws: what cannot be judged ends the turn. */
  readonly respond: (response: Omit<Response, "hook">) => Promise<ResponseAnswer>;
}
