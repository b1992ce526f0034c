import { checkArgument, isJsonObject, omitUndefined, type JsonObject } from "@bylaw/kernel";
import { treeGet, type Recordable, type Run } from "@bylaw/log";
import type { TaskWrite } from "@bylaw/store";
import { COMPLETED } from "@bylaw/contract";
import type { EndOptions, Hold, NewTask, Task, Tasks } from "./api.ts";
import type { TaskRules } from "./task-rules.ts";
import { claimTask, heldTask, leaseOf } from "./claim.ts";
import { laterOf } from "./board.ts";
import { finishTask, isOvertaken, recordWithState, recoverTasks } from "./recover.ts";
import { snapshotOf } from "./snapshot.ts";
import { storedName } from "./store-task.ts";
import { taskBoard } from "./task-board.ts";
import { unknownTask, parseTaskRequest } from "./task-requests.ts";

/** How tasks are given out. */
export interface TasksOptions {
  /** RFC 3339, UTC. Default: the run's clock. */
  readonly now?: () => string;
}

/** The tasks of a run, given out as its contract says. The run's kernel has the plugin {@link tasks}. */
export function createTasks(run: Run, rules: TaskRules, options: TasksOptions = {}): Tasks {
  checkArgument("createTasks", "a run", run, {
    fits: (value) => isJsonObject(value) && typeof value["record"] === "function",
  });
  checkArgument("createTasks", "the rules of tasks", rules);
  const { now = () => run.now() } = checkArgument("createTasks", "options", options);
  let turn: Promise<unknown> = Promise.resolve();

  function known(id: string): Task {
    const task = treeGet(run.view(taskBoard).tasks, id);
    if (task === undefined) throw unknownTask(id);
    return { id, ...task };
  }

  // Claims of one process one after the other: they would only be too late for each other's tasks.
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = turn.then(work);
    turn = next.catch(() => {});
    return next;
  }

  async function change(
    event_type: string,
    { task, agent, fence }: Hold,
    details: JsonObject,
    { documents, request_id, ...write }: Partial<TaskWrite> & EndOptions,
  ): Promise<void> {
    const event: Recordable = {
      event_type,
      agent_id: agent,
      task_id: task,
      details: { fence, ...details },
    };
    await run.record([event], {
      task: { id: storedName(run, task), fence, ...write },
      ...omitUndefined({ documents, request_id }),
    });
  }

  async function create({
    id = `task-${globalThis.crypto.randomUUID()}`,
    title,
    dependencies = [],
    capabilities = [],
  }: NewTask): Promise<Task> {
    const details = {
      title: title ?? null,
      dependencies: [...dependencies],
      capabilities: capabilities.toSorted(),
    };
    const name = storedName(run, id);
    try {
      await run.record([{ event_type: "task_created", agent_id: null, task_id: id, details }], {
        task: { id: name, fence: 0, set: { state: "available", queue: name } },
      });
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      await run.catchUp();
      const there = treeGet(run.view(taskBoard).tasks, id);
      if (there === undefined || !isSame(there, details)) throw error;
    }
    return known(id);
  }

  return {
    create: async (given) => create(parseTaskRequest("create", given) as NewTask),
    async claim(given) {
      const request = parseTaskRequest("claim", given) as Parameters<Tasks["claim"]>[0];
      return inTurn(() => claimTask(run, rules, now, request));
    },
    async heartbeat(given) {
      const hold = parseTaskRequest("heartbeat", given);
      const lease_ms = leaseOf(rules);
      const lease_until = laterOf(
        new Date(Date.parse(now()) + lease_ms).toISOString(),
        treeGet(run.view(taskBoard).tasks, hold.task)?.until,
      );
      await change("task_renewed", hold, { lease_until }, { lease_ms });
      return heldTask(run, hold.task);
    },
    async complete(given) {
      const { task, agent, fence, artifacts, host, ...rest } = parseTaskRequest(
        "complete",
        given,
      ) as Parameters<Tasks["complete"]>[0];
      const outcome = await run.transition({
        task,
        agent,
        to: COMPLETED,
        artifacts,
        host: { ...host, fence },
        ...rest,
      });
      // It is completed whatever comes of this; what is left to do the next call does.
      if (outcome.applied === "allow" && treeGet(run.view(taskBoard).unfinished, task) === true)
        await finishTask(run, task).catch(() => {});
      return outcome;
    },
    async fail(given, options) {
      const { reason, ...hold } = parseTaskRequest("fail", given);
      await change(
        "task_failed",
        hold,
        { reason },
        { ...options, set: { state: "failed", owner: null } },
      );
      return known(hold.task);
    },
    async release(given, options) {
      const { reason = null, ...hold } = parseTaskRequest("release", given);
      await change(
        "task_released",
        hold,
        { reason },
        { ...options, set: { state: "available", owner: null } },
      );
      return known(hold.task);
    },
    async retry(given) {
      const { task, by, reason = null } = parseTaskRequest("retry", given);
      await run.catchUp();
      known(task);
      await recordWithState(
        run,
        { event_type: "task_retried", agent_id: null, task_id: task, details: { by, reason } },
        "available",
      );
      return known(task);
    },
    recover: () => inTurn(() => recoverTasks(run, rules, now())),
    async snapshot(given) {
      const request = parseTaskRequest("snapshot", given) as Parameters<Tasks["snapshot"]>[0];
      await run.catchUp();
      return snapshotOf(run, rules, request);
    },
    async get(given) {
      const id = parseTaskRequest("get", given);
      await run.catchUp();
      return known(id);
    },
  };
}

const isSame = (
  task: Omit<Task, "id">,
  details: Pick<Task, "title" | "dependencies" | "capabilities">,
): boolean =>
  JSON.stringify([task.title, task.dependencies, task.capabilities]) ===
  JSON.stringify([details.title, details.dependencies, details.capabilities]);
