import { numberOf, type EventContent } from "./event-content.ts";
import { impossible, type Step } from "./rules.ts";

/** The state of the workflow as a whole. */
export interface WorkflowState {
  /** The event that ended the workflow. */
  readonly ended_by: string | null;
  /** The number of tasks in the plan at the start. `null` without a plan, and after a resume, when the plan may have changed. */
  readonly total: number | null;
  /** Whether the log begins with a resume. */
  readonly partial: boolean;
  /** How many tasks were complete before the log began. */
  readonly before: number;
}

export const NO_WORKFLOW: WorkflowState = {
  ended_by: null,
  total: null,
  partial: false,
  before: 0,
};

/**
 * The state of the workflow after an event. `completed`: the number of tasks that this log shows complete; `first`: whether the event
 * is the first of the log. Pure.
 */
export function workflowAfter(
  state: WorkflowState,
  event: EventContent,
  { completed, first }: { readonly completed: number; readonly first: boolean },
): Step<WorkflowState> {
  if (state.ended_by !== null) {
    return impossible(
      "EVENT_AFTER_TERMINAL",
      `The workflow ended with \`${state.ended_by}\`, so \`${event.event_type}\` cannot follow.`,
    );
  }
  switch (event.event_type) {
    case "session_start":
      return {
        next: {
          ...state,
          total:
            event.details["plan_file"] === null ? null : (numberOf(event, "total_tasks") ?? null),
        },
      };
    case "session_resumed":
      return {
        next: {
          ...state,
          total: null,
          ...(first
            ? { partial: true, before: numberOf(event, "completed_tasks_count") ?? 0 }
            : {}),
        },
      };
    case "workflow_failed":
      return { next: { ...state, ended_by: event.event_type } };
    case "workflow_complete": {
      const complete = completed + state.before;
      const other = [numberOf(event, "total_tasks"), state.total].find(
        (total) => typeof total === "number" && total !== complete,
      );
      if (typeof other !== "number") return { next: { ...state, ended_by: event.event_type } };
      const message = `The workflow cannot be complete: ${complete} of ${other} tasks are.`;
      return impossible("COMPLETE_COUNT_MISMATCH", message);
    }
    default:
      return { next: state };
  }
}
