import { defineProjection, digestJson, isJsonObject, type Grant, type Json, type Subject } from "@bylaw/kernel";

/** The event types that a run writes itself. */
export const RUN_EVENTS: readonly string[] = [
  ...["tool_allowed", "tool_asked", "tool_denied", "tool_result", "phase_entered", "transition_blocked"],
  ...["behavior_applied", "behavior_rejected", "response_accepted", "enforcement", "approval_granted"],
];

/** The open approvals of a run, by the digest of what they approve. */
export const openApprovals = defineProjection<Readonly<Record<string, Grant>>>({
  name: "bylaw/approvals",
  version: 1,
  initial: {},
  reduce(state, { event_type, sequence, details: { digest, by, expires_at, decision } }) {
    if (event_type === "approval_granted") {
      return { ...state, [String(digest)]: { sequence, by: String(by), expires_at: String(expires_at) } };
    }
    // Only the run writes events of its own types, so nobody spends an approval by mentioning it.
    if (!RUN_EVENTS.includes(event_type) || !isJsonObject(decision) || decision["approval"] === undefined) return state;
    const { approval } = decision;
    return Object.fromEntries(Object.entries(state).filter(([, grant]) => grant.sequence !== approval));
  },
});

/** The phase of each task, as the log says. */
export const currentPhases = defineProjection<Readonly<Record<string, string>>>({
  name: "bylaw/phases",
  version: 1,
  initial: {},
  reduce: (state, { event_type, task_id, details }) =>
    event_type === "phase_entered" && task_id !== null ? { ...state, [task_id]: String(details["to"]) } : state,
});

/**
 * What an approval is bound to: the RFC 8785 form of {tool, server, args, agent, task, cwd} of a tool call, of what is asked
 * for at the other hooks, and the policies that asked. Another policy needs another approval.
 */
export function approvalDigest(subject: Subject, policy: Readonly<Record<string, string>>): Promise<string> {
  const { agent = null, task = null } = subject;
  if (subject.hook === "beforeToolCall") {
    const { tool, server = null, args, cwd = null } = subject;
    return digestJson({ subject: { tool, server, args, agent, task, cwd }, policy });
  }
  const { id, at, run, session, facts, host, claims, interactive, phase, ...asked } = subject;
  return digestJson({ subject: { ...(asked as Record<string, Json>), agent, task }, policy });
}
