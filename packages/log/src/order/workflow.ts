import { numberOf, type Happening } from "./event-parts.ts";
import { impossible, type Step } from "./rules.ts";

/** What the rules remember of the workflow as a whole. */
export interface WorkflowState {
  /** The event that ended it. */
  readonly ended_by: string | null;
  /** How many tasks the plan had when it began; unknown without a plan, and after a resume, at which it may have changed. */
  readonly total: number | null;
  /** The log begins with a resume. */
  readonly partial: boolean;
  /** How many tasks were complete before the log began. */
  readonly before: number;
}

/** Nothing happened yet. */
export const NO_WORKFLOW: WorkflowState = { ended_by: null, total: null, partial: false, before: 0 };

/** What an event makes of the workflow. `completed`: tasks that this log shows complete; `first`: nothing stands before the event. Pure. */
export function proceed(
  state: WorkflowState,
  event: Happening,
  { completed, first }: { readonly completed: number; readonly first: boolean },
): Step<WorkflowState> {
  if (state.ended_by !== null) {
    return impossible("EVENT_AFTER_TERMINAL", `Unexpected ${event.event_type} behind ${state.ended_by}, expected nothing more`);
  }
  switch (event.event_type) {
    case "session_start":
      return { next: { ...state, total: event.details["plan_file"] === null ? null : (numberOf(event, "total_tasks") ?? null) } };
    case "session_resumed":
      return {
        next: { ...state, total: null, ...(first ? { partial: true, before: numberOf(event, "completed_tasks_count") ?? 0 } : {}) },
      };
    case "workflow_failed":
      return { next: { ...state, ended_by: event.event_type } };
    case "workflow_complete": {
      const complete = completed + state.before;
      const other = [numberOf(event, "total_tasks"), state.total].find((total) => typeof total === "number" && total !== complete);
      if (typeof other !== "number") return { next: { ...state, ended_by: event.event_type } };
      const message = `Unexpected workflow_complete with ${complete} complete of ${other} tasks, expected as many`;
      return impossible("COMPLETE_COUNT_MISMATCH", message);
    }
    default:
      return { next: state };
  }
}
