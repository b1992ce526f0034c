import { WORK, count, free, number, texts, typesOf } from "./catalogue-type.ts";

const critic = typesOf("critic");
const auditor = typesOf("auditor");

/** A critic reviews the code, an auditor confirms the task. */
export const REVIEW_TYPES = [
  critic("critic_dispatched", "a critic starts on a review", { ...WORK, files_to_review: texts }),
  critic("critic_pass", "a critic accepts the code", { ...WORK, review_summary: free }),
  critic("critic_fail", "a critic rejects the code", {
    ...WORK,
    issues_found: free,
    required_fixes: free,
  }),
  critic("critic_timeout", "a critic ran out of time", {
    ...WORK,
    timeout_ms: number,
    attempt_number: count,
  }),
  auditor("auditor_dispatched", "an auditor starts on a task", { ...WORK, files_to_audit: texts }),
  auditor("task_complete", "an auditor confirms the task: nothing else completes one", {
    ...WORK,
    evidence_summary: free,
  }),
  auditor("auditor_fail", "an auditor rejects the task", {
    ...WORK,
    failures: free,
    required_fixes: free,
  }),
  auditor("auditor_blocked", "an auditor finds failures that were there before", {
    ...WORK,
    pre_existing_failures: free,
  }),
];
