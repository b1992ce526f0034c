import { type EventDraft, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { createCatalogue, createLogVerifier, formatEventLine, type LogFinding } from "@bylaw/log";
import { coordinator, coordinatorOrder } from "../src/index.ts";

/** The fields of an event that a run records. */
export type Given = Pick<EventDraft, "event_type" | "agent_id" | "task_id" | "details">;

/** The plugin without its rule about an agent's own work. */
export const guarded = coordinator({ own_work: "allow" });

/** An event about a task by an agent; the details repeat both. */
export const of = (
  event_type: string,
  task: string,
  agent: string,
  details: JsonObject = {},
): Given => ({
  event_type,
  agent_id: agent,
  task_id: task,
  details: { task_id: task, agent_id: agent, ...details },
});
/** An event without a task and an agent. */
export const plain = (event_type: string, details: JsonObject): Given => ({
  event_type,
  agent_id: null,
  task_id: null,
  details,
});
const by = (event_type: string, agent: string, details: JsonObject = {}): Given => ({
  event_type,
  agent_id: agent,
  task_id: null,
  details: { agent_id: agent, ...details },
});
const about = (event_type: string, task: string, details: JsonObject): Given => ({
  event_type,
  agent_id: null,
  task_id: task,
  details: { task_id: task, ...details },
});

export const dispatched = (task = "t", agent = "dev", details: JsonObject = {}): Given =>
  of("developer_dispatched", task, agent, { blocked_by: [], ...details });
export const ready = (task = "t", agent = "dev"): Given =>
  of("developer_ready_for_review", task, agent, { files_modified: ["a.ts"] });
export const critic = (task = "t", agent = "critic"): Given =>
  of("critic_dispatched", task, agent, { files_to_review: ["a.ts"] });
export const pass = (task = "t", agent = "critic"): Given =>
  of("critic_pass", task, agent, { review_summary: "fine" });
export const auditor = (task = "t", agent = "auditor"): Given =>
  of("auditor_dispatched", task, agent, { files_to_audit: ["a.ts"] });
export const complete = (task = "t", agent = "auditor"): Given =>
  of("task_complete", task, agent, { evidence_summary: "tests" });
export const reviewed = (task = "t"): readonly Given[] => [
  dispatched(task),
  ready(task),
  critic(task),
  pass(task),
];
export const whole = (task = "t"): readonly Given[] => [
  ...reviewed(task),
  auditor(task),
  complete(task),
];
export const blocked = (tasks: readonly string[]): Given =>
  plain("infrastructure_blocked", {
    reported_by: "dev",
    issue_type: "tests",
    blocked_tasks: tasks,
  });
const restored = plain("infrastructure_restored", { attempts_used: 1, fixes_applied: [] });

/** One event of every type that an agent or its coordinator records about a task, with details that a strict catalogue accepts. */
export function everything(task: string, turn: number): readonly Given[] {
  const one = (role: string): string => `${role}-${(turn % 2) + 1}`;
  const [dev, rev, aud] = [one("dev"), one("critic"), one("auditor")];
  const run = { run_id: `run-${turn % 3}`, agent_id: "expert", from_agent_id: dev };
  const number = { attempt_number: 1 };
  return [
    dispatched(task, dev),
    dispatched(task, dev, { resumed: true }),
    of("developer_checkpoint", task, dev, { status: "half", checkpoint: {} }),
    ready(task, dev),
    of("developer_blocked", task, dev, { issue_type: "tests", issue_details: "red" }),
    of("developer_incomplete", task, dev, {
      blocker: "x",
      attempted: [],
      needed: [],
      attempt_number: 1,
      escalate: false,
    }),
    of("signal_rejected", task, dev, {
      signal_type: "ready",
      reason: "matrix",
      missing_environments: ["a"],
    }),
    critic(task, rev),
    pass(task, rev),
    of("critic_fail", task, rev, { issues_found: [], required_fixes: [] }),
    of("critic_timeout", task, rev, { timeout_ms: 1, attempt_number: 1 }),
    auditor(task, aud),
    complete(task, aud),
    of("auditor_fail", task, aud, { failures: [], required_fixes: [] }),
    of("auditor_blocked", task, aud, { pre_existing_failures: [] }),
    about("environment_verification_passed", task, { environments_tested: [], all_passed: true }),
    about("environment_verification_failed", task, { failed_environments: [], error_details: "x" }),
    blocked([task]),
    by("remediation_dispatched", "rem", { issue_type: "tests", issue_details: "x", ...number }),
    by("remediation_complete", "rem", { fixes_applied: [], summary: "x" }),
    by("remediation_failed", "rem", { reason: "x", ...number }),
    by("health_audit_dispatched", one("health"), number),
    by("health_audit_pass", one("health")),
    by("health_audit_fail", one("health"), { failures: [] }),
    by("health_audit_unexpected", one("health"), { response_summary: "x", ...number }),
    plain("remediation_exhausted", {
      attempt_count: 3,
      issue_type: "tests",
      escalation_required: true,
    }),
    restored,
    of("agent_seeks_guidance", task, dev, { question: "?", options: [] }),
    of("coordinator_prays", task, dev, { question: "?" }),
    of("divine_response_received", task, dev, { question: "?", response: "yes" }),
    of("agent_resumes_with_guidance", task, dev, { guidance_summary: "yes" }),
    plain("task_quality_assessment", {
      implementable_count: 1,
      needs_expansion_count: 0,
      needs_clarification_count: 0,
    }),
    of("business_analyst_dispatched", task, "analyst", { missing_criteria: [] }),
    about("task_expanded", task, { confidence: 1, expansion_summary: "x" }),
    about("expansion_needs_clarification", task, { questions: [], options: [] }),
    plain("agent_definition_created", { agent_type: "dev", definition_hash: "x" }),
    of("expert_delegated", task, "expert", {
      ...run,
      agent_type: "x",
      request_type: "x",
      request_summary: "x",
    }),
    of("expert_complete", task, "expert", {
      ...run,
      duration_seconds: 1,
      confidence_level: 1,
      deliverables_count: 1,
    }),
    of("expert_failed", task, "expert", { ...run, error_reason: "x" }),
    of("expert_out_of_scope", task, "expert", { ...run, suggested_alternative: null }),
    plain("session_pause", { reason: "limit", remaining_percent: 9, resets_at: null }),
    plain("usage_check", { utilisation: 1, remaining: 2, resets_at: null }),
    plain("compaction_start", { compaction_number: 1, context_remaining: 9 }),
    plain("compaction_complete", { compaction_number: 1, full_reload: false }),
  ];
}

/** The faults of a coordinator's log, under the strictest catalogue. */
export function findingsIn(events: readonly LogEvent[]): readonly LogFinding[] {
  const verifier = createLogVerifier({
    order: coordinatorOrder,
    catalogue: createCatalogue({ mode: "strict" }),
  });
  return events.flatMap((event) => verifier.line(formatEventLine(event)));
}
