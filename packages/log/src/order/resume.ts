import { quote } from "@bylaw/wording";
import { taskOf, textOf, type Happening } from "./event-parts.ts";
import { impossible, type Step } from "./rules.ts";
import { NEW_TASK, wrong, type TaskState } from "./task.ts";

/** How long before the last event of the session that broke off a task may have been completed to be audited again: 60 minutes. */
export const REVERIFICATION_MS = 3_600_000;

/** What is known of the break. */
export interface Break {
  /** When the last event before the resume was recorded, in milliseconds since 1970. */
  readonly last_event: number | null;
  /** The log begins with a resume, so that tasks may have a past that stands elsewhere. */
  readonly partial: boolean;
}

/** Whether a task that was complete waits for its second audit, or is in it. */
export const isReverified = ({ status, reverified }: TaskState): boolean =>
  reverified && (status === "awaiting_audit" || status === "in_audit");

/** An unfinished task becomes available again. Pure. */
export function restart(task: TaskState | null, event: Happening, { partial }: Break): Step<TaskState> {
  const elsewhere = task === null && partial;
  const { status, developers } = task ?? NEW_TASK;
  if (!elsewhere && (status === "complete" || status === "available")) {
    return wrong("RESTART_NOT_IN_PROGRESS", task ?? NEW_TASK, event, "one that is unfinished");
  }
  return { next: { ...NEW_TASK, developers } };
}

/** A complete task is audited again. Pure. */
export function reverify(task: TaskState | null, event: Happening, { last_event, partial }: Break): Step<TaskState> {
  const elsewhere = task === null && partial;
  const { status, completed_at, developers } = task ?? NEW_TASK;
  // After a second crash a task may be called up again although its time is over: it has not been audited since.
  const pending = task !== null && isReverified(task);
  if (!elsewhere && !pending && status !== "complete")
    return wrong("AUDIT_BEFORE_REVIEW", task ?? NEW_TASK, event, "one that was complete");
  const completed = completed_at ?? timeOf(event, "completed_at");
  const last = last_event ?? timeOf(event, "last_event_time");
  const next: TaskState = { ...NEW_TASK, status: "awaiting_audit", reverified: true, completed_at: completed, developers };
  if (pending || completed === null || last === null || last - completed <= REVERIFICATION_MS) return { next };
  const minutes = Math.ceil((last - completed) / 60_000);
  const what = `${event.event_type} of task ${quote(taskOf(event) ?? "")}`;
  const message = `Unexpected ${what}, complete ${minutes} minutes before the last event of its session, expected at most 60`;
  return { next, ...impossible("REVERIFICATION_WINDOW", message) };
}

function timeOf(event: Happening, field: string): number | null {
  const time = Date.parse(textOf(event, field) ?? "");
  return Number.isNaN(time) ? null : time;
}
