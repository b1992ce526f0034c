import type { Json, JsonObject } from "@bylaw/kernel";
import type { Tree } from "@bylaw/log";
import type { Selection } from "../../template/select.ts";

/** A request as it is recorded. */
export interface AgentRequest {
  readonly action: Json;
  readonly reason: Json;
  readonly target: Json;
}

/** An agent at work in a step: its own agent first, then the agents that were called, each by the one before. */
export interface ActiveAgent {
  readonly agent: string | null;
  readonly attempt: number;
  readonly status: "running" | "failed" | "done";
  /** Whether it has called the agent that it asked for. */
  readonly called: boolean;
  /** The agent that it may call but has not called yet. */
  readonly due: string | null;
  /** Whether it made a request of the workflow, and whether that was granted. */
  readonly asked: "nothing" | "granted" | "rejected";
  readonly directive: JsonObject | null;
  /** The request itself. */
  readonly request: AgentRequest | null;
  /** Other recorded requests, made before or after the one that counts. */
  readonly others: readonly AgentRequest[];
  /** Why a request was not granted. */
  readonly refusal: { readonly code: string; readonly reason: string } | null;
  /** The state of the oversight that it asked for. */
  readonly oversight: "none" | "due" | "given" | "failed";
  readonly risk: number;
}

/** One step that has begun and is not settled. */
export interface ActiveStep {
  readonly step: string;
  readonly index: number;
  /** Where the workflow continues after this step and those parallel to it. */
  readonly next: number;
  readonly visit: number;
  readonly fallback: boolean;
  readonly frames: readonly ActiveAgent[];
  readonly output: Json;
  readonly exit_code: number | null;
  /** A digest of how it ended and what it printed, without times. `null` for an agent, whose words always differ. */
  readonly print: string | null;
  /** The number of attempts in this visit. */
  readonly tries: number;
  readonly settled: boolean;
  /** Holds that a person has released. */
  readonly released: readonly string[];
}

/** What is kept of a step that has ended. */
export interface StepResult {
  readonly status: "completed" | "failed" | "skipped";
  readonly exit_code: number | null;
  readonly output: Json;
  readonly print: string | null;
  readonly visits: number;
  readonly attempts: number;
}

/** Steps that are skipped until their loop has ended. */
export interface SkipScope {
  /** The index of the step with the loop. {@link NO_OWNER}: until another loop replaces it. */
  readonly owner: number;
  readonly skip: readonly string[];
}

/** The owner of a scope that does not end with a loop. */
export const NO_OWNER: number = Number.MAX_SAFE_INTEGER;

/** Oversight that the template requires between steps, without a request. */
export interface Interrupt {
  /** The step that it comes before. */
  readonly step: string;
  readonly status: "due" | "given" | "failed";
  readonly risk: number;
  /** Whether a person has let the workflow continue. */
  readonly released: boolean;
}

/** The state of a workflow. */
export interface WorkflowState {
  readonly started:
    | (Selection & {
        readonly template: string;
        /** The digest of the template that the workflow follows now. */
        readonly definition: string;
      })
    | null;
  readonly cursor: number;
  readonly units: readonly ActiveStep[];
  readonly results: Tree<StepResult>;
  readonly scopes: readonly SkipScope[];
  readonly interrupt: Interrupt | null;
  /** The advice of the last oversight, until an agent that began after it is done. */
  readonly advice: string | null;
  /**
   * The number of steps that were settled since the last oversight between steps, and the last of
   * them; `null` if there was none.
   */
  readonly unseen: { readonly steps: number; readonly last: string | null };
  readonly hold: { readonly step: string; readonly why: string; readonly message: string } | null;
  /** Checkpoints that nobody has ended, by sequence. */
  readonly pauses: readonly {
    readonly checkpoint: number;
    readonly reason: string | null;
    readonly step: string | null;
  }[];
  /** Successful steps before this index are not run again after a person went back. */
  readonly redo: number;
  readonly ended: { readonly outcome: string; readonly reason: string | null } | null;
}
