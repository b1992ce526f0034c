import { AGENT, count, flag, free, text, texts, typesOf } from "./catalogue-type.ts";

const infrastructure = typesOf("infrastructure");

/** Broken infrastructure stops all assignments until a health audit passes. */
export const INFRASTRUCTURE_TYPES = [
  infrastructure("infrastructure_blocked", "no assignment is made any more", {
    reported_by: text,
    issue_type: text,
    blocked_tasks: texts,
  }),
  infrastructure("remediation_dispatched", "an agent starts on the infrastructure", {
    ...AGENT,
    issue_type: text,
    issue_details: free,
    attempt_number: count,
  }),
  infrastructure("remediation_complete", "that agent is done", {
    ...AGENT,
    fixes_applied: free,
    summary: free,
  }),
  infrastructure("remediation_failed", "that agent gave no sign of being done", {
    ...AGENT,
    reason: text,
    attempt_number: count,
  }),
  infrastructure("health_audit_dispatched", "a health auditor starts", {
    ...AGENT,
    attempt_number: count,
  }),
  infrastructure("health_audit_pass", "the health auditor finds the code base healthy", {
    ...AGENT,
  }),
  infrastructure("health_audit_fail", "the health auditor finds failures", {
    ...AGENT,
    failures: free,
  }),
  infrastructure("health_audit_unexpected", "the health auditor answers something else", {
    ...AGENT,
    attempt_number: count,
    response_summary: free,
  }),
  infrastructure("remediation_exhausted", "no attempt is left", {
    attempt_count: count,
    issue_type: text,
    escalation_required: flag,
  }),
  infrastructure("infrastructure_restored", "assignments are made again", {
    attempts_used: count,
    fixes_applied: free,
  }),
];
