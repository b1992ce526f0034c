import {
  eventTime,
  treeEntries,
  type OpeningEvent,
  type ResumedLog,
  type Session,
} from "@bylaw/log";
import { REVERIFICATION_MS, isReverified } from "./reverification.ts";
import type { CoordinatorState } from "./state.ts";
import type { TaskState, TaskStatus } from "./task.ts";

type Kind = "idle" | "in_progress" | "pending_audit" | "complete";

const KIND: Readonly<Record<TaskStatus, Kind>> = {
  available: "idle",
  implementing: "in_progress",
  awaiting_review: "in_progress",
  in_review: "in_progress",
  awaiting_audit: "pending_audit",
  in_audit: "pending_audit",
  complete: "complete",
};

const REASON = { in_progress: "session_interrupted", pending_audit: "audit_interrupted" } as const;

/**
 * The events at the start of a resumed session: its counts; every unfinished task as available again, tasks in progress before
 * those that wait for an audit; then every task to audit again. A task is audited again if it was completed in the 60 minutes
 * before the last event, or if that audit is still due. Each group is sorted by id. After the end of the workflow only the counts
 * are recorded.
 */
export function resumeEvents(state: CoordinatorState, last: Session): ResumedLog {
  const records = [...treeEntries(state.tasks)].flatMap(([id, { life, questions }]) =>
    life === null ? [] : [{ id, ...life, asked: questions !== null }],
  );
  const of = (kind: Kind): typeof records => records.filter(({ status }) => KIND[status] === kind);
  const counts = {
    in_progress_tasks_count: of("in_progress").length,
    pending_audit_count: of("pending_audit").length,
    completed_tasks_count: state.completed + state.workflow.before,
  };
  if (state.workflow.ended_by !== null) return { counts, events: [] };
  const at = eventTime({ timestamp: last.at });
  const saved = at === undefined ? null : last.at;

  const restarts = (["in_progress", "pending_audit"] as const).flatMap((kind) =>
    of(kind)
      .filter((task) => !isReverified(task))
      .map(({ id, status, asked }): OpeningEvent => {
        const details = {
          previous_status: asked ? GUIDANCE : STATUS[status],
          reason: REASON[kind],
        };
        return { event_type: "task_restarted_on_resume", task_id: id, details };
      }),
  );

  const end = at ?? state.last ?? 0;
  const recent = ({ status, completed_at }: TaskState): boolean =>
    status === "complete" && end - (completed_at ?? 0) <= REVERIFICATION_MS;
  const audits = records
    .filter((task) => isReverified(task) || recent(task))
    .map(({ id, completed_at }): OpeningEvent => {
      const minutes =
        completed_at === null ? 0 : Math.max(0, Math.floor((end - completed_at) / 60_000));
      const completed = completed_at === null ? null : new Date(completed_at).toISOString();
      const details = {
        completed_at: completed,
        last_event_time: saved,
        time_since_completion_minutes: minutes,
      };
      return { event_type: "task_reverification_required", task_id: id, details };
    });
  return { counts, events: [...restarts, ...audits] };
}

// The status names of spec/003's coordinator. It has none for an agent that works on a verdict.
const GUIDANCE = "awaiting-divine-guidance";
const STATUS: Readonly<Record<TaskStatus, string>> = {
  available: "available",
  implementing: "implementing",
  awaiting_review: "awaiting-review",
  in_review: "awaiting-review",
  awaiting_audit: "awaiting-audit",
  in_audit: "awaiting-audit",
  complete: "complete",
};
