import type { Json, JsonObject } from "@bylaw/kernel";
import type { Tree } from "@bylaw/log";
import type { Selection } from "../../template/select.ts";

/** A request as it is on record. */
export interface AgentRequest {
  readonly action: Json;
  readonly reason: Json;
  readonly target: Json;
}

/**
 * One who is at work in a step: its own agent first, then those whom it called, each by the one
 * before.
 */
export interface ActiveAgent {
  readonly agent: string | null;
  readonly attempt: number;
  readonly status: "running" | "failed" | "done";
  /** It called another agent, as it asked for. */
  readonly called: boolean;
  /** Whom it may call, and did not call yet. */
  readonly due: string | null;
  /** What it asked of the workflow, as it was granted or not. */
  readonly asked: "nothing" | "granted" | "rejected";
  readonly directive: JsonObject | null;
  /** The request itself. */
  readonly request: AgentRequest | null;
  /** Others that are on record: what it asked for before or after the one that counts. */
  readonly others: readonly AgentRequest[];
  /** Why a request was not granted. */
  readonly refusal: { readonly code: string; readonly reason: string } | null;
  /** What became of the oversight that it asked for. */
  readonly oversight: "none" | "due" | "given" | "failed";
  readonly risk: number;
}

/** One step that has begun and is not settled. */
export interface ActiveStep {
  readonly step: string;
  readonly index: number;
  /** Where the workflow goes on behind it and those that run with it. */
  readonly next: number;
  readonly visit: number;
  readonly fallback: boolean;
  readonly frames: readonly ActiveAgent[];
  readonly output: Json;
  readonly exit_code: number | null;
  /**
   * A digest of how it ended and what it printed, without times; `null`: an agent's, whose words
   * are always new.
   */
  readonly print: string | null;
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
  readonly print: string | null;
  readonly visits: number;
  readonly attempts: number;
}

/** Steps that are left out until the loop that says so has ended. */
export interface SkipScope {
  /** The index of the step with the loop; {@link NO_OWNER}: until another loop says otherwise. */
  readonly owner: number;
  readonly skip: readonly string[];
}

/** The owner of a scope that no end of a loop closes. */
export const NO_OWNER: number = Number.MAX_SAFE_INTEGER;

/** Oversight that nobody asked for: the template makes it due between steps. */
export interface Interrupt {
  /** The step that it stands before. */
  readonly step: string;
  readonly status: "due" | "given" | "failed";
  readonly risk: number;
  /** A person let the workflow go on. */
  readonly released: boolean;
}

/** Where a workflow stands. */
export interface WorkflowState {
  readonly started:
    | (Selection & {
        readonly template: string;
        /** Of the template as the workflow follows it now. */
        readonly definition: string;
      })
    | null;
  readonly cursor: number;
  readonly units: readonly ActiveStep[];
  readonly results: Tree<StepResult>;
  readonly scopes: readonly SkipScope[];
  readonly interrupt: Interrupt | null;
  /** What the last oversight advised, until an agent that began after it is done. */
  readonly advice: string | null;
  /**
   * Steps that were settled since the last oversight between steps, and the last of them; `null`:
   * none was.
   */
  readonly unseen: { readonly steps: number; readonly last: string | null };
  readonly hold: { readonly step: string; readonly why: string; readonly message: string } | null;
  /** Checkpoints that nobody ended, by sequence. */
  readonly pauses: readonly {
    readonly checkpoint: number;
    readonly reason: string | null;
    readonly step: string | null;
  }[];
  /** Up to here steps that succeeded are not run again, after a person went back. */
  readonly redo: number;
  readonly ended: { readonly outcome: string; readonly reason: string | null } | null;
}
