import { COMPLETED } from "@bylaw/contract";
import { deny, type ToolCall, type Transition, type Verdict, type View } from "@bylaw/kernel";
import { timeOf } from "@bylaw/log";
import { quote } from "@bylaw/wording";
import { isoOf } from "./board.ts";
import type { CODES } from "./codes.ts";
import { taskOf } from "./task-board.ts";

/** Denies the completion of a task that waits for others, and of one that is completed, whoever holds it. Pure. */
export function checkCompletion({ task, to }: Transition, view: View): Verdict | undefined {
  const state = taskOf(view, task);
  if (state?.status === "completed")
    return refuse("task_over", `work on task ${quote(task)}, which is completed`, "one that goes on", "claim another task");
  if (state === undefined || state.unmet === 0 || to !== COMPLETED) return undefined;
  return refuse("task_blocked", `completion of task ${quote(task)}`, `${state.unmet} others to be completed first`, "complete those");
}

type Code = keyof typeof CODES;

const refuse = (code: Code, what: string, wanted: string, fix: string): Verdict =>
  deny(`Unexpected ${what}, expected ${wanted}`, fix, { code });

/** Denies what is done for a task by whoever does not hold it. What is done for no task is nobody's business here. Pure. */
export function checkHolder({ task, agent, at, host }: ToolCall | Transition, view: View): Verdict | undefined {
  if (task === undefined) return undefined;
  const state = taskOf(view, task);
  const name = (): string => quote(task);
  if (state === undefined) return refuse("task_unknown", `task ${name()}`, "one that was created", "create it, or claim one that is there");
  switch (state.status) {
    case "completed":
    case "failed":
      return refuse("task_over", `work on task ${name()}, which is ${state.status}`, "one that goes on", "claim another task");
    case "escalated":
      return refuse("task_escalated", `work on task ${name()}`, "a person's word first", "have a person look into it and retry it");
    case "blocked":
      return refuse("task_blocked", `work on task ${name()}`, `${state.unmet} others to be completed first`, "claim another task");
    case "ready":
    case "waiting":
      return refuse("task_not_claimed", `work on task ${name()}, which nobody holds`, "a claim", "claim it first");
    case "claimed":
  }
  if (agent === undefined || agent !== state.agent)
    return refuse("task_other_agent", `agent ${quote(agent ?? "")} on task ${name()}`, "the one that holds it", "claim another task");
  const fence = host?.["fence"];
  if (fence !== undefined && fence !== state.fence)
    return refuse("task_fence_stale", `fence ${quote(JSON.stringify(fence))}`, String(state.fence), "stop: somebody goes on with the task");
  if (at === undefined || Number.isNaN(timeOf(at)) || isoOf(at) >= (state.until ?? ""))
    return refuse("task_lease_over", `work on task ${name()} after its lease`, "a heartbeat before that", "claim the task again");
  return undefined;
}
