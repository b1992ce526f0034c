import type { JsonObject, View } from "@bylaw/kernel";
import { timeOf } from "./codec/envelope.ts";
import { coordinatorLife } from "./order/coordinator-life.ts";
import { entriesOfKeyed } from "./order/keyed.ts";
import { REVERIFICATION_MS, isReverified } from "./order/resume.ts";
import type { TaskState, TaskStatus } from "./order/task.ts";
import type { Sitting } from "./sitting.ts";

/** An event to record, without what the run itself knows. */
export interface OpeningEvent {
  readonly event_type: string;
  readonly task_id: string | null;
  readonly details: JsonObject;
}

/** The events by which a resume moves tasks: like the resume itself, only the run records them. */
export const RESUMPTIONS: ReadonlySet<string> = new Set(["task_restarted_on_resume", "task_reverification_required"]);

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
 * What goes on record when a log is taken up by a new session: that it is resumed, with what it found; then every unfinished
 * task as available again, those in progress before those that wait for an audit; then every task to be audited again,
 * because it was completed in the 60 minutes before the last event or because that audit was still due. Each group by
 * the order of the ids. `last`: how the session before it ended. A workflow that has ended is only resumed.
 */
export function resumeEvents(view: View, last: Sitting): readonly OpeningEvent[] {
  const state = view(coordinatorLife);
  const records = entriesOfKeyed(state.tasks).flatMap(([id, { life, questions }]) =>
    life === null ? [] : [{ id, ...life, asked: questions !== null }],
  );
  const of = (kind: Kind): typeof records => records.filter(({ status }) => KIND[status] === kind);
  const at = timeOf({ timestamp: last.at });
  const saved = at === undefined ? null : last.at;

  const resumed: OpeningEvent = {
    event_type: "session_resumed",
    task_id: null,
    details: {
      previous_session_id: last.session,
      state_saved_at: saved,
      in_progress_tasks_count: of("in_progress").length,
      pending_audit_count: of("pending_audit").length,
      completed_tasks_count: state.completed + state.workflow.before,
    },
  };
  if (state.workflow.ended_by !== null) return [resumed];

  const restarts = (["in_progress", "pending_audit"] as const).flatMap((kind) =>
    of(kind)
      .filter((task) => !isReverified(task))
      .map(({ id, status, asked }): OpeningEvent => {
        const details = { previous_status: asked ? GUIDANCE : STATUS[status], reason: REASON[kind] };
        return { event_type: "task_restarted_on_resume", task_id: id, details };
      }),
  );

  const end = at ?? state.last ?? 0;
  const recent = ({ status, completed_at }: TaskState): boolean => status === "complete" && end - (completed_at ?? 0) <= REVERIFICATION_MS;
  const audits = records
    .filter((task) => isReverified(task) || recent(task))
    .map(({ id, completed_at }): OpeningEvent => {
      const minutes = completed_at === null ? 0 : Math.max(0, Math.floor((end - completed_at) / 60_000));
      const completed = completed_at === null ? null : new Date(completed_at).toISOString();
      const details = { completed_at: completed, last_event_time: saved, time_since_completion_minutes: minutes };
      return { event_type: "task_reverification_required", task_id: id, details };
    });
  return [resumed, ...restarts, ...audits];
}

// The words of spec/003's coordinator for where a task stands; an agent at work on a verdict has none of its own.
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
