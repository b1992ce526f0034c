import type { Contract, Gate } from "@bylaw/contract";
import { present, type JsonObject, type View } from "@bylaw/kernel";
import { treeEntries } from "@bylaw/log";
import type { Book, GateVote, Opening, Waiver } from "./book.ts";
import type { Code } from "./codes.ts";
import { bookOf, gateBook } from "./gate-book.ts";

/** A gate that waits for approvers. */
export interface OpenGate {
  readonly task: string;
  readonly gate: string;
  readonly phase: string;
  /** The phase that the task goes on to. */
  readonly to: string;
  /** Who asked for it. */
  readonly agent: string | null;
  /** RFC 3339, UTC. */
  readonly opened_at: string;
  /** RFC 3339, UTC; `null`: it stays open. */
  readonly expires_at: string | null;
  /** A person has been called, because time ran out. */
  readonly escalated: boolean;
  /** The roles that may decide. */
  readonly approvers: readonly string[];
  /** How many different people have to say yes. */
  readonly quorum: number;
  readonly approvals: readonly GateVote[];
  /** The digest of the artifacts that it is about. */
  readonly artifacts: string;
  /** The digest of the workspace that it is about; `null` where the contract has no tests that are run. */
  readonly tree: string | null;
}

/** What a gate has come to, most restrictive first. */
export const GATE_STATES = ["fail", "stale", "needs-human", "pending", "waived", "warn", "pass"] as const;
export type GateState = (typeof GATE_STATES)[number];

/** The state of one gate of the phase that a task is in, as of the last request. */
export interface GateReport {
  readonly gate: string;
  readonly state: GateState;
  /** The codes that it comes from. */
  readonly codes: readonly string[];
  /** The checks of it that somebody waived: who, why, and until when. */
  readonly waivers: readonly Waiver[];
}

const STATE_OF: Readonly<Record<Code, GateState>> = {
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

/** The gates that wait for approvers, of all tasks or of one, by task and in the order in which they were opened. */
export function openGates(view: View, contract: Contract, { task: one }: { readonly task?: string } = {}): readonly OpenGate[] {
  const found: OpenGate[] = [];
  const books = one === undefined ? treeEntries(view(gateBook)) : [[one, bookOf(view(gateBook), one)] as const];
  for (const [task, book] of books) {
    for (const opening of book.openings) {
      const gate = contract.phases.some(({ id }) => id === book.phase) ? gateIn(contract, opening.gate, book.phase) : undefined;
      if (gate !== undefined && opening.state === "open") found.push(openGate(task, gate, opening));
    }
  }
  return found;
}

/** One gate of a phase. */
export const gateIn = ({ gates }: Contract, id: string, phase: string | null): Gate | undefined =>
  gates.find((gate) => gate.id === id && gate.phase === phase);

/** When an open gate runs out of time, in milliseconds since 1970. */
export const expiryOf = ({ timeoutSeconds }: Gate, { opened_at }: Pick<Opening, "opened_at">): number =>
  timeoutSeconds === undefined ? Number.POSITIVE_INFINITY : Date.parse(opened_at) + timeoutSeconds * 1_000;

function openGate(task: string, gate: Gate, { artifacts, tree, opened_at, escalated, votes, to, agent }: Opening): OpenGate {
  const { id, phase, approvers, quorum } = gate;
  const expiry = expiryOf(gate, { opened_at });
  const expires_at = Number.isFinite(expiry) ? new Date(expiry).toISOString() : null;
  return { task, gate: id, phase, to, agent, opened_at, expires_at, escalated, approvers, quorum, approvals: votes, artifacts, tree };
}

/**
 * The gates of the phase that a task is in. A gate that no request was held back by yet is `pending`; one that the task went through is
 * not listed, because the task is in another phase.
 */
export function gateStates(view: View, contract: Contract, task: string): readonly GateReport[] {
  const book = bookOf(view(gateBook), task);
  return contract.gates
    .filter(({ phase }) => phase === book.phase)
    .map((gate) => {
      const codes = codesOf(book, gate);
      const states = codes.map((code) => STATE_OF[code as Code] ?? "fail");
      const asked = book.asked !== null && contract.transitions.some((way) => way.gate === gate.id && way.to === book.asked?.to);
      const state = GATE_STATES.find((one) => states.includes(one)) ?? (asked ? "pass" : "pending");
      return { gate: gate.id, state, codes, waivers: book.waivers.filter((one) => one.gate === gate.id) };
    });
}

// What is said of the artifacts of a phase is in the way of each of its gates.
function codesOf({ asked, phase }: Book, { id }: Gate): readonly string[] {
  const concern = [`${phase}.gates.${id}.`, `${phase}.required_artifacts.`];
  return [...new Set((asked?.votes ?? []).filter(({ rule }) => concern.some((head) => rule.startsWith(head))).map(({ code }) => code))];
}

/** A request to make again. */
export interface Advancement {
  readonly to: string;
  readonly agent?: string;
  readonly artifacts: JsonObject;
}

/**
 * The request that a gate with `auto_advance` held back, where something came since that may let it pass: a test run, a vote, a waiver, a
 * report. The host makes it again, and it is decided like any other; nothing passes because it is named here.
 */
export function advancement(view: View, contract: Contract, task: string): Advancement | undefined {
  const { asked, phase, changed } = bookOf(view(gateBook), task);
  if (asked === null || changed <= asked.sequence) return undefined;
  const ways = contract.transitions.filter((way) => way.from === phase && way.to === asked.to && way.when === "passed");
  const advances = ways.some(({ gate }) => contract.gates.some(({ id, autoAdvance }) => id === gate && autoAdvance));
  if (!advances) return undefined;
  return { to: asked.to, artifacts: asked.artifacts, ...present({ agent: asked.agent ?? undefined }) };
}
