import type { Json, LogEvent } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { Selection } from "../template/select.ts";
import type { Template } from "../template/template.ts";

/**
 * What a step has come to, for a request to go back from it: the same twice in a row is a loop that
 * gets nowhere.
 */
export type StepProgress = (reason: string | null) => string | undefined;

/** What a function that is a step is told. */
export interface StepContext {
  readonly run: Run;
  readonly step: string;
  readonly agent: string | null;
  readonly attempt: number;
  readonly visit: number;
  readonly prompt: string;
  /** Where it may write a request, as a program may. */
  readonly controlFile: string;
  /** For `reportBehavior`. */
  readonly progress: StepProgress;
  /** Is aborted at the end of its time, and when the runner ends. */
  readonly signal: AbortSignal;
}

/** A step in this process. What it returns is its output; what it throws is its failure. */
export type StepFunction = (context: StepContext) => Promise<Json | undefined> | Json | undefined;

/** What an oversight is asked about. */
export interface OversightQuestion {
  readonly kind: "planning" | "implementation" | "review";
  readonly goal: string;
  readonly plan: string;
  readonly agent: string | null;
  readonly step: string;
  /** Why it is asked for, where an agent asked. */
  readonly reason: string | null;
  /** What the step is told to do. */
  readonly prompt: string;
  /** The steps so far, and what came of them. */
  readonly history: readonly string[];
  readonly progress: string;
}

/** What an oversight said; without a risk, why it failed. */
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
  /** Goes into its environment. Names begin with `BYLAW_`. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/** How a workflow is run. */
export interface WorkflowOptions {
  /** Of a kernel with the plugin `workflow`, and those that grant what steps may ask for. */
  readonly run: Run;
  readonly template: Template;
  /** The digest of the template, as it was loaded. */
  readonly definition: string;
  /** The folder that programs run in. */
  readonly workspace: string;
  /** Where an agent writes its request. An absolute path. */
  readonly controlFile: string;
  /** The index of the step that a new workflow begins with. Default: 0. */
  readonly from?: number;
  /**
   * The way that a new workflow takes through its template. Default: the one of a run that names
   * none.
   */
  readonly selection?: Selection;
  /** Steps that a workflow before this one completed; only the reading of CodeMachine asks. */
  readonly completed?: readonly string[];
  /**
   * Stands before the prompt of an agent, as it is when the agent begins: the rules that hold it,
   * in an agent record of their own.
   */
  readonly preface?: (agent: string) => string;
  /** Starts an MCP server for an agent that begins. It is closed when the agent ends. */
  readonly serveTools?: (who: RunningAgent) => LocalMcpServer;
  readonly functions?: Readonly<Record<string, StepFunction>>;
  /**
   * Asks for oversight, and puts on record what came of it: `oversight_given` or
   * `oversight_failed`.
   */
  readonly oversee?: (question: OversightQuestion) => Promise<unknown>;
  /** Ends what runs, and leaves the workflow where it is: it can be resumed. */
  readonly signal?: AbortSignal;
  readonly onEvents?: (events: readonly LogEvent[]) => void;
  readonly onOutput?: (step: string, stream: "stdout" | "stderr", text: string) => void;
}

/** Where a workflow stands when nothing more can be done. */
export interface WorkflowEnd {
  /** `paused` at a checkpoint, `held` because a person has to look. */
  readonly outcome: "completed" | "stopped" | "paused" | "held";
  readonly step: string | null;
  /** Why it is held. */
  readonly why: string | null;
  readonly reason: string | null;
}
