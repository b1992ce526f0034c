import { BylawError, type LogEvent } from "@bylaw/kernel";
import { treeEntries, treeGet, type RecordableEvent, type Run } from "@bylaw/log";
import { StoreConflict } from "@bylaw/store";
import type { TaskRules } from "./api.ts";
import { dueBy, type TaskState } from "./board.ts";
import { taskBoard } from "./task-board.ts";

/**
 * The name of the task in the store, which holds the tasks of all runs. Each task has its own queue there: the log decides the
 * order, and the store only ensures that nobody else has the task.
 */
export const storedName = ({ run }: Pick<Run, "run">, task: string): string =>
  JSON.stringify([run, task]);

/** The owner of a task in the store between a lost agent and the next one. */
const RECOVERY = "@bylaw/plugin-tasks";

/** The most tasks that one call recovers, so that it stays short. */
const AT_ONCE = 100;

/** Whether another process was faster. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof StoreConflict ||
  (error instanceof BylawError && error.code === "BYLAW_EVENT_REFUSED");

/** Records an event together with the task's new state in the store, under the fence from the log. */
export async function recordWithState(
  run: Run,
  event: RecordableEvent,
  state: "available" | "done",
): Promise<readonly LogEvent[]> {
  const id = event.task_id ?? "";
  const { fence } = treeGet(run.view(taskBoard).tasks, id) ?? { fence: 0 };
  try {
    return await run.record([event], {
      task: { id: storedName(run, id), fence, set: { state, owner: null } },
    });
  } catch (error) {
    // The guards accepted the event, so the store's own sweep has freed the task, and the store needs no write.
    if (error instanceof StoreConflict && error.what === "fence") return run.record([event]);
    throw error;
  }
}

/** Tells the store that a task's completion is on record; `[]` if another process already has. */
export async function finishTask(run: Run, id: string): Promise<readonly LogEvent[]> {
  const { fence } = treeGet(run.view(taskBoard).tasks, id) ?? { fence: 0 };
  try {
    return await recordWithState(
      run,
      { event_type: "task_finished", agent_id: null, task_id: id, details: { fence } },
      "done",
    );
  } catch (error) {
    if (!isOvertaken(error)) throw error;
    await run.catchUp();
    return [];
  }
}

/**
 * Recovers what was left behind: completed tasks that the store does not know of, and leases that are over. The store decides
 * whether a lease is over, and reassigns the task in the same write. The log only shows which tasks to ask about.
 */
export async function recoverTasks(
  run: Run,
  rules: TaskRules,
  now: string,
): Promise<readonly LogEvent[]> {
  await run.catchUp();
  const recorded: LogEvent[] = [];
  for (const id of some(treeEntries(run.view(taskBoard).unfinished), ([name]) => name))
    recorded.push(...(await finishTask(run, id)));
  const { tasks } = run.view(taskBoard);
  for (const id of some(dueBy(run.view(taskBoard), now), ([, name]) =>
    treeGet(tasks, name)?.status === "claimed" ? name : undefined,
  )) {
    const task = treeGet(run.view(taskBoard).tasks, id);
    const event = task?.status === "claimed" ? await takeUp(run, rules, id, task) : undefined;
    if (event !== undefined) recorded.push(event);
  }
  return recorded;
}

async function takeUp(
  run: Run,
  { recovery }: TaskRules,
  id: string,
  task: TaskState,
): Promise<LogEvent | undefined> {
  const { action, maxRetries, backoffSeconds } = recovery.agentCrash;
  const lapses = task.lapses + 1;
  const again = action === "retry" && lapses <= maxRetries;
  const lost = {
    event_type: again ? "task_lapsed" : "task_escalated",
    agent_id: null,
    task_id: id,
  };
  try {
    // Held until it may be tried again, so that the store's clock decides when that is.
    const claim = await run.claim({
      queue: storedName(run, id),
      agent: RECOVERY,
      lease_ms: again ? Math.max(1, Math.round(backoffSeconds * 1_000)) : 1,
      event: ({ fence, lease_until }) => ({
        ...lost,
        details: {
          agent: task.agent ?? "",
          fence,
          ...(again ? { retry: lapses, retry_at: lease_until } : { lapses }),
        },
      }),
    });
    return claim?.event;
  } catch (error) {
    if (!isOvertaken(error)) throw error;
    await run.catchUp();
    return undefined;
  }
}

function some<Entry, Value>(
  entries: Iterable<Entry>,
  pick: (entry: Entry) => Value | undefined,
): readonly Value[] {
  const picked: Value[] = [];
  for (const entry of entries) {
    const value = pick(entry);
    if (value !== undefined) picked.push(value);
    if (picked.length === AT_ONCE) break;
  }
  return picked;
}
