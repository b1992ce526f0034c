import type { View } from "@bylaw/kernel";
import { treeGet } from "@bylaw/log";
import { quote } from "@bylaw/wording";
import type { ClaimRequest } from "./api.ts";
import type { Board, TaskState } from "./board.ts";
import type { CODES } from "./codes.ts";
import { taskBoard } from "./task-board.ts";

/** The reason why an agent may not work on a task, or may not have it. */
export interface TaskFault {
  readonly code: keyof typeof CODES;
  readonly reason: string;
  readonly fix: string;
}

/** How many dependencies a reason names. */
const NAMED = 3;

/** The reason why nobody may work on a task now; `undefined` if an agent holds it. */
export function statusFault(board: Board, id: string): TaskFault | undefined {
  const task = treeGet(board.tasks, id);
  const name = `Task ${quote(id)}`;
  switch (task?.status) {
    case undefined:
      return {
        code: "task_unknown",
        reason: `There is no task ${quote(id)}`,
        fix: "Create it, or claim one that exists.",
      };
    case "completed":
      return completed(id);
    case "failed":
      return {
        code: "task_over",
        reason: `${name} has failed`,
        fix: "Have an operator retry it, or claim another task.",
      };
    case "escalated":
      return {
        code: "task_escalated",
        reason: `${name} is escalated: its agent was lost, and a person must decide`,
        fix: "Have an operator retry it, or claim another task.",
      };
    case "blocked":
      return blocked(board, id, task);
    case "waiting":
      return {
        code: "task_waiting",
        reason: `${name} is waiting: its agent was lost, and it is free again at ${task.until ?? ""}`,
        fix: "Claim it then.",
      };
    case "ready":
      return {
        code: "task_not_claimed",
        reason: `Nobody holds task ${quote(id)}`,
        fix: "Claim it first.",
      };
    case "claimed":
      return undefined;
  }
}

/** The reason why an agent cannot have the task that it names in a claim; `undefined` if it can, or holds it. */
export function claimFault(
  view: View,
  { task: id, agent, capabilities = [] }: ClaimRequest & { readonly task: string },
): TaskFault | undefined {
  const board = view(taskBoard);
  const task = treeGet(board.tasks, id);
  if (task === undefined || (task.status !== "claimed" && task.status !== "ready"))
    return statusFault(board, id);
  if (task.status === "claimed")
    return task.agent === agent ? undefined : heldByOther(id, "Claim another task, or wait.");
  const missing = task.capabilities.find((one) => !capabilities.includes(one));
  return missing === undefined
    ? undefined
    : {
        code: "task_not_claimed",
        reason: `Task ${quote(id)} needs an agent that can do ${quote(missing)}`,
        fix: "Name all `capabilities` of the agent in the claim.",
      };
}

/** The fault of a completed task. */
export const completed = (id: string): TaskFault => ({
  code: "task_over",
  reason: `Task ${quote(id)} is completed`,
  fix: "Claim another task.",
});

/** The fault of a task that depends on others. */
export const blocked = (board: Board, id: string, task: TaskState): TaskFault => ({
  code: "task_blocked",
  reason: `Task ${quote(id)} is blocked: it waits for ${waitedFor(board, task)}`,
  fix: "Complete those first, or claim another task.",
});

/** The fault if another agent holds the task. */
export const heldByOther = (id: string, fix: string): TaskFault => ({
  code: "task_other_agent",
  reason: `Another agent holds task ${quote(id)}`,
  fix,
});

function waitedFor({ tasks }: Board, { dependencies, unmet }: TaskState): string {
  const open = dependencies.filter((one) => treeGet(tasks, one)?.status !== "completed");
  const names = open.slice(0, NAMED).map(quote).join(", ");
  return unmet > NAMED ? `${names} and ${unmet - NAMED} more` : names;
}
