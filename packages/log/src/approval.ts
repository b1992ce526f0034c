import { defineProjection, isJsonObject, type Grant, type Json, type Response, type Subject, type Transition } from "@bylaw/kernel";
import { digestOf } from "./digest.ts";
import { drop, find, put, type Tree } from "./order/tree.ts";

/** The event types that a run writes itself. */
export const RUN_EVENTS: readonly string[] = [
  ...["tool_allowed", "tool_asked", "tool_denied", "tool_result", "phase_entered", "transition_blocked"],
  ...["behavior_applied", "behavior_rejected", "response_accepted", "enforcement", "approval_granted"],
];

/** The approvals that nobody has used, by the digest of what they approve and by the sequence of the event that granted them. */
export interface OpenApprovals {
  readonly grants: Tree<Grant>;
  readonly digests: Tree<string>;
}

/** The open approvals of a run. */
export const openApprovals = defineProjection<OpenApprovals>({
  name: "bylaw/approvals",
  version: 2,
  initial: { grants: null, digests: null },
  reduce(state, { event_type, sequence, details: { digest, by, expires_at, decision } }) {
    const { grants, digests } = state;
    if (event_type === "approval_granted") {
      const key = String(digest);
      const before = find(grants, key);
      return {
        grants: put(grants, key, { sequence, by: String(by), expires_at: String(expires_at) }),
        digests: put(before === undefined ? digests : drop(digests, String(before.sequence)), String(sequence), key),
      };
    }
    // Only the run writes events of its own types, so nobody spends an approval by mentioning it.
    if (!RUN_EVENTS.includes(event_type) || !isJsonObject(decision) || decision["approval"] === undefined) return state;
    const used = find(digests, String(decision["approval"]));
    return used === undefined ? state : { grants: drop(grants, used), digests: drop(digests, String(decision["approval"])) };
  },
});

/** The phase of each task. */
export type Phases = Tree<string>;

/** The phase of each task, as the log says. */
export const currentPhases = defineProjection<Phases>({
  name: "bylaw/phases",
  version: 2,
  initial: null,
  reduce: (state, { event_type, task_id, details }) =>
    event_type === "phase_entered" && task_id !== null ? put(state, task_id, String(details["to"])) : state,
});

/** The phase of one task; undefined for one that has entered none. */
export const phaseOf = (phases: Phases, task: string): string | undefined => find(phases, task);

/**
 * What an approval is bound to: the RFC 8785 form of {tool, server, args, agent, task, cwd} of a tool call, of what is asked
 * for at the other hooks, and the digest of the policies that asked. Another policy needs another approval.
 */
export function approvalDigest(subject: Subject, policy: string): string {
  const { agent = null, task = null } = subject;
  if (subject.hook === "beforeToolCall") {
    const { tool, server = null, args, cwd = null } = subject;
    return digestOf({ subject: { tool, server, args, agent, task, cwd }, policy });
  }
  // The log counts attempts, and a request that is made anew has a new id: the same question, however often it was asked.
  const {
    round: _,
    attempt: __,
    max_attempts: ___,
    request_id: ____,
    ...unnumbered
  } = subject as Partial<Response> & Pick<Transition, "request_id"> & Subject;
  const { id, at, run, session, facts, host, claims, interactive, phase, ...asked } = unnumbered as Subject;
  return digestOf({ subject: { ...(asked as Record<string, Json>), agent, task }, policy });
}
