import type { Json, JsonObject } from "@bylaw/kernel";
import type { Tree } from "@bylaw/log";

/** One yes or no of an approver. */
export interface GateVote {
  readonly by: string;
  readonly role: string;
  readonly verdict: "approved" | "rejected";
  readonly reason: string | null;
  /** RFC 3339, UTC. */
  readonly at: string;
}

/** A request to the approvers of a gate, for exactly these artifacts. */
export interface ApprovalRequest {
  readonly gate: string;
  /** The digest of the artifacts. */
  readonly artifacts: string;
  /** The digest of the workspace; `null` if the contract runs no tests. */
  readonly tree: string | null;
  /** The policy of this plugin at that time. */
  readonly policy: string;
  readonly to: string;
  readonly agent: string | null;
  /** RFC 3339, UTC. */
  readonly opened_at: string;
  /** The sequence of the request that opened it. */
  readonly request: number;
  /** The sequence of the request before it that handed in other artifacts for the same phase; `null` if there is none. */
  readonly earlier: number | null;
  readonly votes: readonly GateVote[];
  readonly state: "open" | "rejected" | "timed_out";
  readonly escalated: boolean;
}

/** A check that need not pass until the waiver expires. */
export interface Waiver {
  readonly gate: string;
  readonly check: string;
  readonly by: string;
  readonly reason: string;
  readonly expires_at: string;
}

/** An agent that was started for the phase, and its report. */
export interface Reviewer {
  readonly directive: string;
  readonly model: string | null;
  readonly agent_type: string | null;
  readonly wait: boolean;
  readonly report: Report | null;
}

export interface Report {
  readonly ok: boolean;
  readonly agent: string | null;
  readonly verdict: "approved" | "rejected" | null;
  readonly blocking_issues: readonly Json[];
}

/** The last request that gates or artifacts blocked. */
interface Asked {
  readonly to: string;
  readonly agent: string | null;
  readonly artifacts: JsonObject;
  readonly sequence: number;
  /** The votes of gates and artifacts on it, including notes. */
  readonly votes: readonly { readonly code: string; readonly rule: string }[];
}

/** An agent that worked on a task: it requested a transition, or made calls in these phases. */
export interface Worker {
  readonly name: string;
  readonly asked: boolean;
  readonly phases: readonly string[];
}

/** The log's facts about the gates of one task, since it entered its phase. */
export interface GateState {
  readonly phase: string | null;
  /** The sequence of the event that entered the phase. */
  readonly entered: number;
  /** The sequence of the last event that may have changed a gate's answer. */
  readonly changed: number;
  /** Every agent that worked on the task since it began. */
  readonly workers: readonly Worker[];
  readonly asked: Asked | null;
  readonly openings: readonly ApprovalRequest[];
  /** The gates at which an approver said no. */
  readonly rejected: readonly string[];
  readonly waivers: readonly Waiver[];
  readonly reviewers: readonly Reviewer[];
}

export type GateStates = Tree<GateState>;

/** The gate state of a task that the log does not mention. */
export const EMPTY_GATE_STATE: GateState = Object.freeze({
  ...{
    phase: null,
    entered: 0,
    changed: 0,
    workers: [],
    asked: null,
    openings: [],
    rejected: [],
    waivers: [],
    reviewers: [],
  },
});
