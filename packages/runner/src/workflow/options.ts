import type { Json, LogEvent } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { Selection } from "../template/select.ts";
import type { Template } from "../template/template.ts";

/**
 * Returns a digest of a step's progress for a request to go back. The same digest twice in a row
 * means that the loop makes no progress.
 */
export type StepProgress = (reason: string | null) => string | undefined;

/** What a step function receives. */
export interface StepContext {
  readonly run: Run;
  readonly step: string;
  readonly agent: string | null;
  readonly attempt: number;
  readonly visit: number;
  readonly prompt: string;
  /** Where the function may write a request, as a program may. */
  readonly controlFile: string;
  /** Measures progress for `reportBehavior`. */
  readonly progress: StepProgress;
  /** Aborted when the time limit is reached and when the runner ends. */
  readonly signal: AbortSignal;
}

/** A step in this process. What it returns is its output; what it throws is its failure. */
export type StepFunction = (context: StepContext) => Promise<Json | undefined> | Json | undefined;

/** What an oversight must judge. */
export interface OversightQuestion {
  readonly kind: "planning" | "implementation" | "review";
  readonly goal: string;
  readonly plan: string;
  readonly agent: string | null;
  readonly step: string;
  /** Why the agent asked for it, if an agent did. */
  readonly reason: string | null;
  /** The prompt of the step. */
  readonly prompt: string;
  /** The steps so far with their results. */
  readonly history: readonly string[];
  readonly progress: string;
}

/** The answer of an oversight. Without a risk, it is the reason for a failure. */
export interface OversightAdvice {
  readonly risk: number | null;
  readonly advice: string;
}

/** An agent at work in a step. */
export interface RunningAgent {
  readonly agent: string;
  readonly step: string;
  readonly attempt: number;
  readonly visit: number;
  readonly progress: StepProgress;
}

/** How an agent reaches the run while it works. */
export interface LocalMcpServer {
  /** Added to the agent's environment. Names must begin with `BYLAW_`. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/** How a workflow is run. */
export interface WorkflowOptions {
  /** A run whose kernel has the plugin `workflow` and the plugins that grant requests of steps. */
  readonly run: Run;
  readonly template: Template;
  /** The digest of the template as it was loaded. */
  readonly definition: string;
  /** The folder in which programs run. */
  readonly workspace: string;
  /** Where an agent writes its request. An absolute path. */
  readonly controlFile: string;
  /** The index of the step with which a new workflow begins. Default: 0. */
  readonly from?: number;
  /** The path of a new workflow through its template. Default: the default of the template. */
  readonly selection?: Selection;
  /** Steps that an earlier workflow completed. Used only for CodeMachine's reading of `once`. */
  readonly completed?: readonly string[];
  /** Returns text before the prompt of an agent when it begins: the rules that apply to it, as its own agent record. */
  readonly preface?: (agent: string) => string;
  /** Starts an MCP server for an agent that begins. It is closed when the agent ends. */
  readonly serveTools?: (who: RunningAgent) => LocalMcpServer;
  readonly functions?: Readonly<Record<string, StepFunction>>;
  /** Requests oversight and records the result: `oversight_given` or `oversight_failed`. */
  readonly oversee?: (question: OversightQuestion) => Promise<unknown>;
  /** Ends what runs and leaves the workflow where it is. It can be resumed. */
  readonly signal?: AbortSignal;
  readonly onEvents?: (events: readonly LogEvent[]) => void;
  readonly onOutput?: (step: string, stream: "stdout" | "stderr", text: string) => void;
}

/** The state of a workflow that cannot continue by itself. */
export interface WorkflowEnd {
  /** `paused` at a checkpoint, `held` because a person must look. */
  readonly outcome: "completed" | "stopped" | "paused" | "held";
  readonly step: string | null;
  /** Why it is held. */
  readonly why: string | null;
  readonly reason: string | null;
}
