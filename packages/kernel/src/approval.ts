import type { Grant } from "./decision.ts";
import { digestJson, type Json } from "./json.ts";
import { defineProjection } from "./projection.ts";
import type { Subject } from "./subject.ts";

/** The open approvals of a run, by the digest of what they approve. */
export const openApprovals = defineProjection<ReadonlyMap<string, Grant>>({
  name: "bylaw/approvals",
  version: 1,
  initial: new Map(),
  reduce(state, { event_type, sequence, details }) {
    if (event_type === "approval_granted") {
      const { digest, by, expires_at } = details;
      return new Map(state).set(String(digest), { sequence, by: String(by), expires_at: String(expires_at) });
    }
    const used = details["approval"];
    if (typeof used !== "number") return state;
    const spent = [...state].find(([, grant]) => grant.sequence === used);
    if (spent === undefined) return state;
    const rest = new Map(state);
    rest.delete(spent[0]);
    return rest;
  },
});

/** The phase of each task, as the log says. */
export const currentPhases = defineProjection<ReadonlyMap<string, string>>({
  name: "bylaw/phases",
  version: 1,
  initial: new Map(),
  reduce(state, { event_type, task_id, details }) {
    if (event_type !== "phase_entered" || task_id === null) return state;
    return new Map(state).set(task_id, String(details["to"]));
  },
});

/**
 * What an approval is bound to: the call (RFC 8785 form of {tool, server, args, agent, task, cwd}; of the whole request for
 * the other hooks) and the policies that asked. Another policy needs another approval.
 */
export function approvalDigest(subject: Subject, policy: Readonly<Record<string, string>>): Promise<string> {
  return digestJson({ subject: bound(subject), policy });
}

function bound(subject: Subject): Json {
  const { agent = null, task = null } = subject;
  if (subject.hook === "beforeToolCall") {
    const { tool, server = null, args, cwd = null } = subject;
    return { tool, server, args, agent, task, cwd };
  }
  if (subject.hook === "onTransition") {
    const { hook, from = null, to, artifacts } = subject;
    return { hook, from, to, artifacts, agent, task };
  }
  if (subject.hook === "onBehavior") {
    const { hook, action, reason = null, trigger_agent_id = null, step = null } = subject;
    return { hook, action, reason, trigger_agent_id, step, agent, task };
  }
  const { hook, text = null, round = null, attempt = null } = subject;
  return { hook, text, round, attempt, agent, task };
}
