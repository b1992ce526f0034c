import type { EventDraft, View } from "@bylaw/kernel";
import { defineLifecycle, eventTime, treeEntries, type Lifecycle } from "@bylaw/log";
import { resumeEvents } from "./resume.ts";
import { NO_COORDINATOR, type CoordinatorState } from "./state.ts";
import { concerns, step, type StepResult } from "./step.ts";
import type { TaskState } from "./task.ts";

/** The state after an event, and the rule that it breaks. Skips an event that cannot change anything. */
export const judge = (state: CoordinatorState, event: EventDraft): StepResult =>
  concerns(state, event.event_type) ? step(state, event, eventTime(event)) : { state };

/** The state by which the order rules judge the next event. */
export const coordinatorLife: Lifecycle<CoordinatorState> = defineLifecycle({
  name: "bylaw/coordinator",
  version: 1,
  initial: NO_COORDINATOR,
  reduce: (state, event) => judge(state, event).state,
  resume: resumeEvents,
  endedBy: ({ workflow }) => workflow.ended_by,
});

/** A summary of a coordinator's work from its log. */
export interface Coordination {
  /** The number of tasks that this log shows complete. */
  readonly completed: number;
  readonly infrastructure: { readonly blocked: boolean };
  /**
   * `ended_by`: the event that ended the work, `workflow_complete` or `workflow_failed`. `before`: the number of tasks that were
   * complete before a log that begins with a resume.
   */
  readonly workflow: { readonly ended_by: string | null; readonly before: number };
}

/** The coordinator's work in the log, as the order rules see it. An impossible event changes nothing. */
export const coordinatorState: Lifecycle<Coordination> = coordinatorLife as Lifecycle<Coordination>;

/** The state of every task that the log mentions, by id and sorted by id. */
export function coordinatorTasks(view: View): ReadonlyMap<string, TaskState> {
  return new Map(
    [...treeEntries(view(coordinatorLife).tasks)].flatMap(([id, { life }]) =>
      life === null ? [] : [[id, life] as const],
    ),
  );
}
