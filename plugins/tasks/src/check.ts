import { COMPLETED_PHASE } from "@bylaw/contract";
import { deny, type ToolCall, type Transition, type Verdict, type View } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { isoOf, type TaskState } from "./board.ts";
import type { CODES } from "./codes.ts";
import { blocked, completed, heldByOther, statusFault, type TaskFault } from "./status-fault.ts";
import { taskBoard, taskOf } from "./task-board.ts";

/** Denies the completion of a task that waits for others, and any transition of a completed one. Pure. */
export function checkCompletion({ task, to }: Transition, view: View): Verdict | undefined {
  const state = taskOf(view, task);
  if (state?.status === "completed") return verdictOf(completed(task));
  if (state === undefined || state.unmet === 0 || to !== COMPLETED_PHASE) return undefined;
  return verdictOf(blocked(view(taskBoard), task, state));
}

type Code = keyof typeof CODES;

const refuse = (code: Code, reason: string, fix: string): Verdict => deny(reason, fix, { code });
const verdictOf = ({ code, reason, fix }: TaskFault): Verdict => refuse(code, reason, fix);

/** Denies work on a task by anyone who does not hold it. Work on no task is not checked. Pure. */
export function checkHolder(subject: ToolCall | Transition, view: View): Verdict | undefined {
  const { task } = subject;
  if (task === undefined) return undefined;
  const fault = statusFault(view(taskBoard), task);
  if (fault !== undefined) return verdictOf(fault);
  const state = taskOf(view, task);
  return state === undefined ? undefined : checkClaim(subject, task, state);
}

function checkClaim(
  { agent, at, host }: ToolCall | Transition,
  task: string,
  state: TaskState,
): Verdict | undefined {
  if (agent === undefined || agent !== state.agent)
    return verdictOf(heldByOther(task, "Claim another task."));
  const fence = host?.["fence"];
  if (fence !== undefined && fence !== state.fence)
    return refuse(
      "task_fence_stale",
      `Fence ${quote(JSON.stringify(fence))} is from an earlier claim, and the current one is ${state.fence}`,
      "Stop: somebody else works on the task now.",
    );
  if (at === undefined || Number.isNaN(Date.parse(at)) || isoOf(at) >= (state.until ?? ""))
    return refuse(
      "task_lease_over",
      `The lease of task ${quote(task)} is over`,
      "Claim the task again, and send heartbeats in time.",
    );
  return undefined;
}
