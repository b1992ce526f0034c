import { COMPLETED_PHASE } from "@bylaw/contract";
import type { EventDraft } from "@bylaw/kernel";
import { foldName, treeGet } from "@bylaw/log";
import { isBlank, quote } from "@bylaw/wording";
import { askedKey, isoOf, type Board, type TaskState } from "./board.ts";
import { taskEventOf, type TaskEvent } from "./events.ts";

/** The reason why an event is impossible. */
export interface Fault {
  readonly rule: string;
  readonly message: string;
}

const fault = (rule: string, message: string): Fault => ({ rule, message });
/** The reason why a task event is impossible on this board; `undefined` for one that is possible or about something else. Pure. */
export function faultOf(board: Board, event: EventDraft): Fault | undefined {
  const { event_type, task_id } = event;
  if (event_type === "phase_entered") return completionFault(board, event);
  const read = taskEventOf(event);
  if (read === undefined) return undefined;
  if (task_id === null || isBlank(task_id) || task_id.length > 256)
    return fault("TASK_NAME", "the name of a task has 1 to 256 characters");
  const task = treeGet(board.tasks, task_id);
  if (read.type === "task_created")
    return creationFault(board, task_id, task, read.details.dependencies);
  if (task === undefined) return fault("TASK_UNKNOWN", `there is no task ${quote(task_id)}`);
  // One request gets one claim.
  if (read.type === "task_claimed" && read.details.request_id !== null) {
    const other = treeGet(board.asked, askedKey(event.agent_id, read.details.request_id));
    if (other !== undefined)
      return fault("TASK_REQUEST", `this request already claimed task ${quote(other)}`);
  }
  return changeFault(task, task_id, read, event, treeGet(board.unfinished, task_id) === undefined);
}

function creationFault(
  board: Board,
  id: string,
  task: TaskState | undefined,
  dependencies: readonly string[],
): Fault | undefined {
  if (task !== undefined) return fault("TASK_EXISTS", `task ${quote(id)} exists already`);
  // Dependencies must exist first, so that no two tasks can wait for each other.
  if (dependencies.includes(id))
    return fault("TASK_CYCLE", `task ${quote(id)} would wait for itself`);
  const unknown = dependencies.find((one) => treeGet(board.tasks, one) === undefined);
  if (unknown !== undefined)
    return fault(
      "TASK_DEPENDENCY",
      `task ${quote(id)} would wait for ${quote(unknown)}, which does not exist`,
    );
  return undefined;
}

/** The reason why nobody can complete a task. */
function completionFault(board: Board, { task_id, details }: EventDraft): Fault | undefined {
  const task = task_id === null ? undefined : treeGet(board.tasks, task_id);
  if (task === undefined || task_id === null) return undefined;
  if (task.status === "completed") return fault("TASK_OVER", `task ${quote(task_id)} is completed`);
  if (details["to"] !== COMPLETED_PHASE) return undefined;
  if (task.unmet > 0)
    return fault("TASK_BLOCKED", `task ${quote(task_id)} waits for ${task.unmet} other tasks`);
  return undefined;
}

/** The reason why an agent cannot move a task: another agent holds it, or nobody does. */
export function holderFault(
  board: Board,
  { event_type, agent_id, task_id }: EventDraft,
): Fault | undefined {
  if (event_type !== "phase_entered" || task_id === null) return undefined;
  const task = treeGet(board.tasks, task_id);
  if (task === undefined) return undefined;
  if (task.status !== "claimed")
    return fault("TASK_NOT_CLAIMED", `task ${quote(task_id)} is ${task.status}`);
  if (task.agent !== agent_id)
    return fault("TASK_OTHER_AGENT", `task ${quote(task_id)} is held by another agent`);
  return undefined;
}

/** The reason why an event cannot change an existing task. `finished`: its end is on record. */
function changeFault(
  task: TaskState,
  id: string,
  { type, details }: TaskEvent,
  event: EventDraft,
  finished: boolean,
): Fault | undefined {
  switch (type) {
    case "task_claimed":
      return claimFault(task, id, details, event);
    case "task_renewed":
      return (
        ownClaimFault(task, id, details, event) ??
        (isOver(task, event) ? fault("TASK_LEASE", "the lease is over") : undefined)
      );
    case "task_released":
    case "task_failed":
      return ownClaimFault(task, id, details, event);
    case "task_lapsed":
      return lapseFault(task, id, { ...details, count: details.retry }, event);
    case "task_escalated":
      return lapseFault(task, id, { ...details, count: details.lapses }, event);
    case "task_retried":
      // An agent that lost it or gave it up must not decide that itself.
      return (
        statusFault(task, id, "escalated", "failed") ??
        (["", foldName(task.agent ?? "")].includes(foldName(details.by))
          ? fault("TASK_OWN_RETRY", "the agent that lost the task cannot retry it")
          : undefined)
      );
    case "task_finished":
      return (
        statusFault(task, id, "completed") ??
        (finished
          ? fault("TASK_FINISHED", `the end of task ${quote(id)} is on record already`)
          : undefined)
      );
    default:
      return undefined;
  }
}

type Details<Type extends TaskEvent["type"]> = Extract<
  TaskEvent,
  { readonly type: Type }
>["details"];

function claimFault(
  task: TaskState,
  id: string,
  { capabilities, fence }: Details<"task_claimed">,
  { agent_id }: EventDraft,
): Fault | undefined {
  if (agent_id === null || isBlank(agent_id)) return fault("TASK_AGENT", "a claim names its agent");
  return (
    statusFault(task, id, "ready", "waiting") ??
    staleFault(task, fence) ??
    (task.capabilities.every((one) => capabilities.includes(one))
      ? undefined
      : fault("TASK_CAPABILITY", "the agent lacks a capability that the task needs"))
  );
}

/** The reason why an agent does not hold the task by this claim. */
function ownClaimFault(
  task: TaskState,
  id: string,
  { fence }: { readonly fence: number },
  { agent_id }: EventDraft,
): Fault | undefined {
  const status = statusFault(task, id, "claimed");
  if (status !== undefined) return status;
  if (task.agent !== agent_id)
    return fault("TASK_OTHER_AGENT", `task ${quote(id)} is held by another agent`);
  if (task.fence !== fence)
    return fault("TASK_FENCE", `fence ${fence} is not the claim's fence ${task.fence}`);
  return undefined;
}

function lapseFault(
  task: TaskState,
  id: string,
  {
    agent,
    fence,
    count,
  }: { readonly agent: string; readonly fence: number; readonly count: number },
  event: EventDraft,
): Fault | undefined {
  const status = statusFault(task, id, "claimed");
  if (status !== undefined) return status;
  if (!isOver(task, event)) return fault("TASK_LEASE", "the lease is not over yet");
  return (
    staleFault(task, fence) ??
    (agent === task.agent && count === task.lapses + 1
      ? undefined
      : fault("TASK_LAPSE", "agent or count differ from the claim that lapsed"))
  );
}

const isOver = ({ until }: TaskState, { timestamp }: EventDraft): boolean =>
  until !== null && until <= isoOf(timestamp);

const statusFault = (
  { status }: TaskState,
  id: string,
  ...wanted: readonly TaskState["status"][]
): Fault | undefined =>
  wanted.includes(status)
    ? undefined
    : fault("TASK_STATUS", `task ${quote(id)} is ${status}, not ${wanted.join(" or ")}`);

const staleFault = (task: TaskState, fence: number): Fault | undefined =>
  fence > task.fence
    ? undefined
    : fault("TASK_FENCE", `fence ${fence} is not higher than the last claim's fence ${task.fence}`);
