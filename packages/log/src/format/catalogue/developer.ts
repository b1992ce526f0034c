import { TASK, WORK, count, flag, free, text, texts, typesOf } from "./catalogue-type.ts";

const developer = typesOf("developer");
const environment = typesOf("environment");

/** A developer works on a task, and its environments are verified. */
export const DEVELOPER_TYPES = [
  developer("developer_dispatched", "a developer starts on a task", {
    ...WORK,
    blocked_by: texts,
    resumed: flag.optional(),
  }),
  developer("developer_checkpoint", "a developer reports progress", {
    ...WORK,
    status: text,
    checkpoint: free,
  }),
  developer(
    "developer_ready_for_review",
    "a developer asks for a review, which completes nothing",
    { ...WORK, files_modified: texts },
  ),
  developer("developer_blocked", "a developer reports broken infrastructure", {
    ...WORK,
    issue_type: text,
    issue_details: free,
  }),
  developer("developer_incomplete", "a developer cannot finish", {
    ...WORK,
    blocker: text,
    attempted: free,
    needed: free,
    attempt_number: count,
    escalate: flag,
  }),
  developer("signal_rejected", "a developer's signal is refused because environments are missing", {
    ...WORK,
    signal_type: text,
    reason: text,
    missing_environments: texts,
  }),
  environment("environment_verification_passed", "every environment was verified", {
    ...TASK,
    environments_tested: free,
    all_passed: flag,
  }),
  environment("environment_verification_failed", "an environment failed", {
    ...TASK,
    failed_environments: free,
    error_details: free,
  }),
];
