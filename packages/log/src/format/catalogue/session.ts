import { count, flag, id, number, text, time, typesOf, free } from "./catalogue-type.ts";

const session = typesOf("session");

/** A session begins, is resumed, runs short, and ends with the workflow. */
export const SESSION_TYPES = [
  session("session_start", "the coordinator starts afresh, without saved state", {
    plan_file: text.nullable(),
    total_tasks: count,
  }),
  session("session_resumed", "the coordinator continues from saved state", {
    previous_session_id: id,
    state_saved_at: time,
    in_progress_tasks_count: count,
    pending_audit_count: count,
    completed_tasks_count: count,
  }),
  session("task_restarted_on_resume", "an unfinished task becomes available again", {
    previous_status: text,
    reason: text,
  }),
  session(
    "task_reverification_required",
    "a task that was completed shortly before the break is audited again",
    { completed_at: time, last_event_time: time, time_since_completion_minutes: number },
  ),
  session("session_pause", "the coordinator pauses at a limit", {
    reason: text,
    remaining_percent: number,
    resets_at: time,
  }),
  session("usage_check", "the usage was measured", {
    utilisation: number,
    remaining: number,
    resets_at: time,
  }),
  session("compaction_start", "the context is about to be compacted", {
    compaction_number: count,
    context_remaining: number,
  }),
  session("compaction_complete", "the context was compacted", {
    compaction_number: count,
    full_reload: flag,
  }),
  session("workflow_complete", "every task is complete", {
    total_tasks: count,
    compactions: count,
    session_resumes: count,
  }),
  session("workflow_failed", "the workflow cannot continue", { reason: text, last_state: free }),
];
