import type { Contract, Gate } from "@bylaw/contract";
import { omitUndefined, type JsonObject, type View } from "@bylaw/kernel";
import { treeEntries } from "@bylaw/log";
import type { GateState, GateVote, ApprovalRequest, Waiver } from "./gate-state.ts";
import type { Code } from "./codes.ts";
import { gateStateOf, gateProjection } from "./gate-projection.ts";

/** A gate that waits for approvers. */
export interface OpenGate {
  readonly task: string;
  readonly gate: string;
  readonly phase: string;
  /** The phase that the task moves to. */
  readonly to: string;
  /** The agent that requested it. */
  readonly agent: string | null;
  /** RFC 3339, UTC. */
  readonly opened_at: string;
  /** The sequence of the request that opened it. */
  readonly request: number;
  /** The sequence of the request before it that handed in other artifacts; `null` if there is none. */
  readonly earlier: number | null;
  /** RFC 3339, UTC; `null`: it stays open. */
  readonly expires_at: string | null;
  /** Whether a person was called because time ran out. */
  readonly escalated: boolean;
  /** The roles that may decide. */
  readonly approvers: readonly string[];
  /** How many different people must say yes. */
  readonly quorum: number;
  readonly approvals: readonly GateVote[];
  /** The digest of the artifacts to approve. */
  readonly artifacts: string;
  /** The digest of the workspace to approve; `null` if the contract runs no tests. */
  readonly tree: string | null;
}

/** The states of a gate, most restrictive first. */
const GATE_STATUSES = [
  "fail",
  "stale",
  "needs-human",
  "pending",
  "waived",
  "warn",
  "pass",
] as const;
export type GateStatus = (typeof GATE_STATUSES)[number];

/** The state of one gate of a task's current phase, as of the last request. */
export interface GateReport {
  readonly gate: string;
  readonly state: GateStatus;
  /** The codes that led to the state. */
  readonly codes: readonly string[];
  /** The waivers of its checks: by whom, why, and until when. */
  readonly waivers: readonly Waiver[];
}

const STATE_OF: Readonly<Record<Code, GateStatus>> = {
  gate_blocked: "fail",
  gate_timed_out: "fail",
  gate_not_rejected: "fail",
  check_failed: "fail",
  gate_stale: "stale",
  gate_needs_human: "needs-human",
  gate_pending: "pending",
  gate_waived: "waived",
  gate_warning: "warn",
  gate_reported: "warn",
};

/**
 * The gates that wait for approvers, of all tasks or one, sorted by task and then by when they
 * opened.
 */
export function openGates(
  view: View,
  contract: Contract,
  { task: one }: { readonly task?: string } = {},
): readonly OpenGate[] {
  const found: OpenGate[] = [];
  const states =
    one === undefined
      ? treeEntries(view(gateProjection))
      : [[one, gateStateOf(view(gateProjection), one)] as const];
  for (const [task, gateState] of states) {
    for (const approvalRequest of gateState.openings) {
      const gate = contract.phases.some(({ id }) => id === gateState.phase)
        ? gateIn(contract, approvalRequest.gate, gateState.phase)
        : undefined;
      if (gate !== undefined && approvalRequest.state === "open")
        found.push(openGate(task, gate, approvalRequest));
    }
  }
  return found;
}

export const gateIn = ({ gates }: Contract, id: string, phase: string | null): Gate | undefined =>
  gates.find((gate) => gate.id === id && gate.phase === phase);

/** When an open gate runs out of time, in milliseconds since 1970. */
export const expiryOf = (
  { timeoutSeconds }: Gate,
  { opened_at }: Pick<ApprovalRequest, "opened_at">,
): number =>
  timeoutSeconds === undefined
    ? Number.POSITIVE_INFINITY
    : Date.parse(opened_at) + timeoutSeconds * 1_000;

function openGate(
  task: string,
  gate: Gate,
  { artifacts, tree, opened_at, request, earlier, escalated, votes, to, agent }: ApprovalRequest,
): OpenGate {
  const { id, phase, approvers, quorum } = gate;
  const expiry = expiryOf(gate, { opened_at });
  const expires_at = Number.isFinite(expiry) ? new Date(expiry).toISOString() : null;
  return {
    task,
    gate: id,
    phase,
    to,
    agent,
    opened_at,
    request,
    earlier,
    expires_at,
    escalated,
    approvers,
    quorum,
    approvals: votes,
    artifacts,
    tree,
  };
}

/**
 * The gates of a task's current phase. A gate that has not blocked a request yet is `pending`.
 * Gates of earlier phases are not listed.
 */
export function gateStates(view: View, contract: Contract, task: string): readonly GateReport[] {
  const gateState = gateStateOf(view(gateProjection), task);
  return contract.gates
    .filter(({ phase }) => phase === gateState.phase)
    .map((gate) => {
      const codes = codesOf(gateState, gate);
      const states = codes.map((code) => STATE_OF[code as Code] ?? "fail");
      const asked =
        gateState.asked !== null &&
        contract.transitions.some(
          (edge) => edge.gate === gate.id && edge.to === gateState.asked?.to,
        );
      const state =
        GATE_STATUSES.find((one) => states.includes(one)) ?? (asked ? "pass" : "pending");
      return {
        gate: gate.id,
        state,
        codes,
        waivers: gateState.waivers.filter((one) => one.gate === gate.id),
      };
    });
}

// Findings about a phase's artifacts block each of its gates.
function codesOf({ asked, phase }: GateState, { id }: Gate): readonly string[] {
  const concern = [`${phase}.gates.${id}.`, `${phase}.required_artifacts.`];
  return [
    ...new Set(
      (asked?.votes ?? [])
        .filter(({ rule }) => concern.some((head) => rule.startsWith(head)))
        .map(({ code }) => code),
    ),
  ];
}

/** A request to make again. */
export interface RetryableRequest {
  readonly to: string;
  readonly agent?: string;
  readonly artifacts: JsonObject;
}

/**
 * A request that a gate with `auto_advance` blocked and that may pass now, after a new test run,
 * vote, waiver or report. The host repeats it, and it is decided like any other; being listed here
 * grants nothing.
 */
export function retryableRequest(
  view: View,
  contract: Contract,
  task: string,
): RetryableRequest | undefined {
  const { asked, phase, changed } = gateStateOf(view(gateProjection), task);
  if (asked === null || changed <= asked.sequence) return undefined;
  const edges = contract.transitions.filter(
    (edge) => edge.from === phase && edge.to === asked.to && edge.when === "passed",
  );
  const advances = edges.some(({ gate }) =>
    contract.gates.some(({ id, autoAdvance }) => id === gate && autoAdvance),
  );
  if (!advances) return undefined;
  return {
    to: asked.to,
    artifacts: asked.artifacts,
    ...omitUndefined({ agent: asked.agent ?? undefined }),
  };
}
