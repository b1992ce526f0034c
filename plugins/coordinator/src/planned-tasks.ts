import type { Guard, Json } from "@bylaw/kernel";
import { COORDINATOR_TYPES } from "@bylaw/log";

// What a resume records follows from the log: a task that left the plan must not keep the run shut.
const RESUME: ReadonlySet<string> = new Set(["task_restarted_on_resume", "task_reverification_required"]);
const TYPES: ReadonlySet<string> = new Set(COORDINATOR_TYPES.map(({ name }) => name).filter((name) => !RESUME.has(name)));

/** Makes the guard `planned-tasks`: an event of the catalogue names no task but `tasks`, compared unit by unit. */
export function plannedTasks(tasks: readonly string[]): Guard {
  const planned = new Set<Json>(tasks);
  return (_, { event_type, task_id, details }) => {
    if (!TYPES.has(event_type)) return undefined;
    const { task_id: named = null, blocked_tasks = [] } = details;
    const all = [task_id, named, ...(Array.isArray(blocked_tasks) ? (blocked_tasks as readonly Json[]) : [])];
    const other = all.find((task) => task !== null && !planned.has(task));
    if (other === undefined) return undefined;
    return { rule: "TASK_NOT_PLANNED", message: `Unexpected task ${JSON.stringify(other).slice(0, 80)}, expected one of the plan` };
  };
}
