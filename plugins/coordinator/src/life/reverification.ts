import { quote } from "@bylaw/wording";
import { taskOf, textOf, type EventContent } from "./event-content.ts";
import { impossible, type Step } from "./rules.ts";
import { NEW_TASK, wrongStatus, type TaskState } from "./task.ts";

/** How long before an interrupted session's last event a completed task is audited again, in milliseconds: 60 minutes. */
export const REVERIFICATION_MS = 3_600_000;

/** What is known about the interruption. */
export interface Interruption {
  /** When the last event before the resume was recorded, in milliseconds since 1970. */
  readonly last_event: number | null;
  /** Whether the log begins with a resume, so that the earlier history of tasks is elsewhere. */
  readonly partial: boolean;
}

/** Whether a completed task waits for its second audit, or is in it. */
export const isReverified = ({ status, reverified }: TaskState): boolean =>
  reverified && (status === "awaiting_audit" || status === "in_audit");

/** An unfinished task becomes available again. Pure. */
export function restart(
  task: TaskState | null,
  event: EventContent,
  { partial }: Interruption,
): Step<TaskState> {
  const elsewhere = task === null && partial;
  const { status, developers } = task ?? NEW_TASK;
  if (!elsewhere && (status === "complete" || status === "available")) {
    return wrongStatus(
      "RESTART_NOT_IN_PROGRESS",
      task ?? NEW_TASK,
      event,
      "only an unfinished task is restarted",
    );
  }
  return { next: { ...NEW_TASK, developers } };
}

/** A complete task is audited again. Pure. */
export function reverify(
  task: TaskState | null,
  event: EventContent,
  { last_event, partial }: Interruption,
): Step<TaskState> {
  const elsewhere = task === null && partial;
  const { status, completed_at, developers } = task ?? NEW_TASK;
  // After a second crash a task is still due, even if its hour is over, because it has not been audited since.
  const pending = task !== null && isReverified(task);
  if (!elsewhere && !pending && status !== "complete")
    return wrongStatus(
      "AUDIT_BEFORE_REVIEW",
      task ?? NEW_TASK,
      event,
      "only a complete task is audited again",
    );
  const completed = completed_at ?? timeOf(event, "completed_at");
  const last = last_event ?? timeOf(event, "last_event_time");
  const next: TaskState = {
    ...NEW_TASK,
    status: "awaiting_audit",
    reverified: true,
    completed_at: completed,
    developers,
  };
  if (pending || completed === null || last === null || last - completed <= REVERIFICATION_MS)
    return { next };
  const minutes = Math.ceil((last - completed) / 60_000);
  const message = `Task ${quote(taskOf(event) ?? "")} was complete ${minutes} minutes before the session's last event, but only the last 60 minutes are audited again.`;
  return { next, ...impossible("REVERIFICATION_WINDOW", message) };
}

function timeOf(event: EventContent, field: string): number | null {
  const time = Date.parse(textOf(event, field) ?? "");
  return Number.isNaN(time) ? null : time;
}
