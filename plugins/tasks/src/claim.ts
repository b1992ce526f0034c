import { BylawError } from "@bylaw/kernel";
import { phaseOf, currentPhases, treeGet, type Run } from "@bylaw/log";
import { quote } from "@bylaw/wording";
import type { ClaimRequest, HeldTask, TaskRules } from "./api.ts";
import { askedKey, isFree, nextTask, type Board, type Seeking, type TaskState } from "./board.ts";
import { isOvertaken, recoverTasks, storedName } from "./recover.ts";
import { taskBoard } from "./task-board.ts";

/** Gives an agent a task, or the one that it holds already. */
export async function claimTask(
  run: Run,
  rules: TaskRules,
  now: () => string,
  request: ClaimRequest,
): Promise<HeldTask | undefined> {
  const { agent, capabilities = [], task: wanted, request_id } = request;
  const passed = new Set<string>();
  for (;;) {
    await recoverTasks(run, rules, now());
    const board = run.view(taskBoard);
    const held = heldBy(board, request);
    if (held !== undefined) return heldTask(run, held);
    const seeking: Seeking = { capabilities, now: now(), passed };
    const id = wanted === undefined ? nextTask(board, seeking) : thisOne(board, wanted, seeking);
    if (id === undefined) return undefined;
    try {
      const claim = await run.claim({
        queue: storedName(run, id),
        agent,
        lease_ms: leaseOf(rules),
        ...(request_id === undefined ? {} : { request_id }),
        event: ({ fence, lease_until }) => ({
          event_type: "task_claimed",
          agent_id: agent,
          task_id: id,
          details: {
            fence,
            lease_until,
            capabilities: [...capabilities],
            request_id: request_id ?? null,
          },
        }),
      });
      if (claim !== undefined)
        return standing(run, claim.event.task_id ?? id, request, claim.fence);
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      await run.catchUp();
      const task = treeGet(run.view(taskBoard).tasks, id);
      // Nobody else was faster: another plugin refuses the claim.
      if (task !== undefined && isFree(task, seeking)) throw error;
    }
    passed.add(id);
  }
}

/** The length of a lease, in milliseconds. */
export const leaseOf = ({ coordination }: TaskRules): number =>
  Math.max(1, Math.round(coordination.leaseSeconds * 1_000));

export function heldTask(run: Run, id: string): HeldTask {
  const { agent, fence, until, title, dependencies, capabilities } = treeGet(
    run.view(taskBoard).tasks,
    id,
  ) as TaskState;
  const phase = phaseOf(run.view(currentPhases), id) ?? null;
  return {
    task: id,
    agent: agent ?? "",
    fence,
    lease_until: until ?? "",
    phase,
    title,
    dependencies,
    capabilities,
  };
}

// A repeated claim may be over by now. Answering "no task" would say that nothing is free.
function standing(
  run: Run,
  id: string,
  { agent, request_id = "" }: ClaimRequest,
  fence: number,
): HeldTask {
  const task = treeGet(run.view(taskBoard).tasks, id);
  if (task?.status === "claimed" && task.agent === agent && task.fence === fence)
    return heldTask(run, id);
  throw new BylawError({
    code: "BYLAW_TASK_INVALID",
    message: `The claim made with request id ${quote(request_id)} is already over`,
    fix: "Claim with a new request id.",
  });
}

function heldBy(
  board: Board,
  { agent, task: wanted, request_id }: ClaimRequest,
): string | undefined {
  const id =
    wanted ??
    (request_id === undefined ? undefined : treeGet(board.asked, askedKey(agent, request_id)));
  const task = id === undefined ? undefined : treeGet(board.tasks, id);
  return task?.status === "claimed" && task.agent === agent ? id : undefined;
}

function thisOne({ tasks }: Board, id: string, seeking: Seeking): string | undefined {
  const task = treeGet(tasks, id);
  return task !== undefined && seeking.passed?.has(id) !== true && isFree(task, seeking)
    ? id
    : undefined;
}
