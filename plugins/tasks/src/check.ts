import { COMPLETED } from "@bylaw/contract";
import { deny, type ToolCall, type Transition, type Verdict, type View } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { isoOf, type TaskState } from "./board.ts";
import type { CODES } from "./codes.ts";
import { taskOf } from "./task-board.ts";

/** Denies the completion of a task that waits for others, and any transition of a completed one. Pure. */
export function checkCompletion({ task, to }: Transition, view: View): Verdict | undefined {
  const state = taskOf(view, task);
  if (state?.status === "completed") return over(task, state.status);
  if (state === undefined || state.unmet === 0 || to !== COMPLETED) return undefined;
  return refuse("task_blocked", waitsFor(task, state.unmet), "Complete those tasks first.");
}

type Code = keyof typeof CODES;

const refuse = (code: Code, reason: string, fix: string): Verdict => deny(reason, fix, { code });
const over = (task: string, status: string): Verdict =>
  refuse("task_over", `Task ${quote(task)} is ${status}`, "Claim another task.");
const waitsFor = (task: string, unmet: number): string =>
  `Task ${quote(task)} waits for ${unmet === 1 ? "another task" : `${unmet} other tasks`}`;

/** Denies work on a task by anyone who does not hold it. Work on no task is not checked. Pure. */
export function checkHolder(subject: ToolCall | Transition, view: View): Verdict | undefined {
  const { task } = subject;
  if (task === undefined) return undefined;
  const state = taskOf(view, task);
  if (state === undefined)
    return refuse(
      "task_unknown",
      `There is no task ${quote(task)}`,
      "Create it, or claim one that exists.",
    );
  return checkStatus(task, state) ?? checkClaim(subject, task, state);
}

function checkStatus(task: string, { status, unmet }: TaskState): Verdict | undefined {
  switch (status) {
    case "completed":
    case "failed":
      return over(task, status);
    case "escalated":
      return refuse(
        "task_escalated",
        `A person has to look into task ${quote(task)} first`,
        "Have a person retry the task.",
      );
    case "blocked":
      return refuse("task_blocked", waitsFor(task, unmet), "Claim another task.");
    case "ready":
    case "waiting":
      return refuse("task_not_claimed", `Nobody holds task ${quote(task)}`, "Claim it first.");
    case "claimed":
      return undefined;
  }
}

function checkClaim(
  { agent, at, host }: ToolCall | Transition,
  task: string,
  state: TaskState,
): Verdict | undefined {
  if (agent === undefined || agent !== state.agent)
    return refuse(
      "task_other_agent",
      `Another agent holds task ${quote(task)}`,
      "Claim another task.",
    );
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
