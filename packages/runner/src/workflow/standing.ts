import type { Json, JsonObject } from "@bylaw/kernel";
import type { Tree } from "@bylaw/log";

/** One who is at work in a step: its own agent first, then those whom it called, each by the one before. */
export interface Frame {
  readonly agent: string | null;
  readonly attempt: number;
  readonly status: "running" | "failed" | "done";
  /** It called another agent, as it asked for. */
  readonly called: boolean;
  /** What it asked of the workflow, as it was granted or not. */
  readonly asked: "nothing" | "granted" | "rejected";
  readonly directive: JsonObject | null;
  /** The request itself. */
  readonly request: { readonly action: Json; readonly reason: Json; readonly target: Json } | null;
  /** Why a request was not granted. */
  readonly refusal: { readonly code: string; readonly reason: string } | null;
  /** What became of the oversight that it asked for. */
  readonly oversight: "none" | "due" | "given" | "failed";
  readonly risk: number;
}

/** One step that has begun and is not settled. */
export interface Unit {
  readonly step: string;
  readonly index: number;
  /** Where the workflow goes on behind it and those that run with it. */
  readonly next: number;
  readonly visit: number;
  readonly fallback: boolean;
  readonly frames: readonly Frame[];
  readonly output: Json;
  readonly exit_code: number | null;
  /** How often it was tried in this visit. */
  readonly tries: number;
  readonly settled: boolean;
  /** Holds that a person let go. */
  readonly released: readonly string[];
}

/** What is kept of a step that has ended. */
export interface StepResult {
  readonly status: "completed" | "failed" | "skipped";
  readonly exit_code: number | null;
  readonly output: Json;
  readonly visits: number;
  readonly attempts: number;
}

/** Steps that are left out until the loop that says so has ended. */
export interface SkipScope {
  readonly owner: number;
  readonly skip: readonly string[];
}

/** Where a workflow stands. */
export interface WorkflowState {
  readonly started: { readonly template: string; readonly definition: string } | null;
  readonly cursor: number;
  readonly units: readonly Unit[];
  readonly results: Tree<StepResult>;
  readonly scopes: readonly SkipScope[];
  readonly hold: { readonly step: string; readonly why: string; readonly message: string } | null;
  /** Checkpoints that nobody ended, by sequence. */
  readonly pauses: readonly { readonly checkpoint: number; readonly reason: string | null; readonly step: string | null }[];
  /** Up to here steps that succeeded are not run again, after a person went back. */
  readonly redo: number;
  readonly ended: { readonly outcome: string; readonly reason: string | null } | null;
}
