import type { EventDraft, Guard, Json, View } from "@bylaw/kernel";
import { COORDINATOR_TYPES, type Finding } from "@bylaw/log";
import { quote } from "@bylaw/wording";
import { coordinatorState, coordinatorTasks } from "./life/projection.ts";

// Resume events repeat what the log says. A task that has left the plan must not keep the run closed.
const RESUME: ReadonlySet<string> = new Set([
  "task_restarted_on_resume",
  "task_reverification_required",
]);
const TYPES: ReadonlySet<string> = new Set(
  COORDINATOR_TYPES.map(({ name }) => name).filter((name) => !RESUME.has(name)),
);

/**
 * Makes the guard `planned-tasks`: an event of the catalogue may name no task outside `tasks` (compared by code units), and the
 * workflow is complete only when all of them are.
 */
export function plannedTasks(tasks: readonly string[]): Guard {
  const planned = new Set<Json>(tasks);
  return (view, event) => {
    if (!TYPES.has(event.event_type)) return undefined;
    if (event.event_type === "workflow_complete") return unfinished(view, tasks);
    const other = namedBy(event).find((task) => task !== null && !planned.has(task));
    if (other === undefined) return undefined;
    return { rule: "TASK_NOT_PLANNED", message: `The plan has no task ${named(other)}.` };
  };
}

// A task's id may be any JSON that an agent wrote.
const named = (task: Json): string =>
  quote((typeof task === "string" ? task : JSON.stringify(task)).slice(0, 80));

function namedBy({ task_id, details }: EventDraft): readonly Json[] {
  const { task_id: named = null, blocked_tasks = [] } = details;
  return [
    task_id,
    named,
    ...(Array.isArray(blocked_tasks) ? (blocked_tasks as readonly Json[]) : []),
  ];
}

function unfinished(view: View, tasks: readonly string[]): Finding | undefined {
  const known = coordinatorTasks(view);
  const open = [...new Set(tasks)].filter((task) => known.get(task)?.status !== "complete");
  // A log that begins with a resume only has the number of tasks that were complete before it.
  const elsewhere =
    open.every((task) => !known.has(task)) && open.length <= view(coordinatorState).workflow.before;
  if (elsewhere) return undefined;
  const message = `Task ${named(open[0] ?? "")} of the plan is not complete, so the workflow cannot be.`;
  return { rule: "PLAN_NOT_COMPLETE", message };
}
