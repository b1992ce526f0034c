import {
  checkArgument,
  isJsonObject,
  omitUndefined,
  type JsonObject,
  type LogEvent,
} from "@bylaw/kernel";
import { treeGet, type Outcome, type RecordableEvent, type Run } from "@bylaw/log";
import type { TaskWrite } from "@bylaw/store";
import { COMPLETED_PHASE } from "@bylaw/contract";
import type {
  ClaimRequest,
  Completion,
  EndOptions,
  HeldTask,
  Hold,
  NewTask,
  Task,
  TaskRules,
  Tasks,
} from "./api.ts";
import { claimTask, heldTask, leaseOf } from "./claim.ts";
import { laterOf, type TaskState } from "./board.ts";
import { finishTask, isOvertaken, recordWithState, recoverTasks, storedName } from "./recover.ts";
import { snapshotOf, type Snapshot, type SnapshotRequest } from "./snapshot.ts";
import { taskBoard } from "./task-board.ts";
import { unknownTask, parseTaskRequest } from "./task-requests.ts";

/** The options of `createTasks`. */
export interface TasksOptions {
  /** RFC 3339, UTC. Default: the run's clock. */
  readonly now?: () => string;
}

/** The tasks of a run, assigned by its contract. The run's kernel must have the plugin {@link tasks}. */
export function createTasks(run: Run, rules: TaskRules, options: TasksOptions = {}): Tasks {
  checkArgument("createTasks", "a run", run, {
    fits: (value) => isJsonObject(value) && typeof value["record"] === "function",
  });
  checkArgument("createTasks", "the rules of tasks", rules);
  const { now = () => run.now() } = checkArgument("createTasks", "options", options);
  return new RunTasks(run, rules, now);
}

class RunTasks implements Tasks {
  readonly #run: Run;
  readonly #rules: TaskRules;
  readonly #now: () => string;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(run: Run, rules: TaskRules, now: () => string) {
    this.#run = run;
    this.#rules = rules;
    this.#now = now;
  }

  async create(given: NewTask): Promise<Task> {
    const {
      id = `task-${globalThis.crypto.randomUUID()}`,
      title = null,
      dependencies = [],
      capabilities = [],
    } = parseTaskRequest("create", given);
    const details = { title, dependencies, capabilities: capabilities.toSorted() };
    const name = storedName(this.#run, id);
    const event = { event_type: "task_created", agent_id: null, task_id: id, details };
    const write = { id: name, fence: 0, set: { state: "available", queue: name } } as const;
    try {
      await this.#run.record([event], { task: write });
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      await this.#run.catchUp();
      const there = this.#find(id);
      if (there === undefined || !isSame(there, details)) throw error;
    }
    return this.#known(id);
  }

  async claim(given: ClaimRequest): Promise<HeldTask | undefined> {
    const request = parseTaskRequest("claim", given) as ClaimRequest;
    return this.#inTurn(() => claimTask(this.#run, this.#rules, this.#now, request));
  }

  async heartbeat(given: Hold): Promise<HeldTask> {
    const hold = parseTaskRequest("heartbeat", given);
    const lease_ms = leaseOf(this.#rules);
    const lease_until = laterOf(
      new Date(Date.parse(this.#now()) + lease_ms).toISOString(),
      this.#find(hold.task)?.until,
    );
    await this.#change("task_renewed", hold, { lease_until }, { lease_ms });
    return heldTask(this.#run, hold.task);
  }

  async complete(given: Completion): Promise<Outcome> {
    const request = parseTaskRequest("complete", given) as Completion;
    const { fence, host, ...asked } = request;
    const outcome = await this.#run.transition({
      ...asked,
      to: COMPLETED_PHASE,
      host: { ...host, fence },
    });
    // The task is completed whatever this results in; the next call does what is left.
    const { task } = request;
    const { unfinished } = this.#run.view(taskBoard);
    if (outcome.applied === "allow" && treeGet(unfinished, task) === true)
      await finishTask(this.#run, task).catch(() => {});
    return outcome;
  }

  async fail(given: Hold & { readonly reason: string }, options?: EndOptions): Promise<Task> {
    const { reason, ...hold } = parseTaskRequest("fail", given);
    return this.#end("task_failed", hold, { reason }, { ...options, state: "failed" });
  }

  async release(given: Hold & { readonly reason?: string }, options?: EndOptions): Promise<Task> {
    const { reason = null, ...hold } = parseTaskRequest("release", given);
    return this.#end("task_released", hold, { reason }, { ...options, state: "available" });
  }

  async retry(given: Parameters<Tasks["retry"]>[0]): Promise<Task> {
    const { task, by, reason = null } = parseTaskRequest("retry", given);
    await this.#run.catchUp();
    this.#known(task);
    const details = { by, reason };
    const event = { event_type: "task_retried", agent_id: null, task_id: task, details };
    await recordWithState(this.#run, event, "available");
    return this.#known(task);
  }

  recover(): Promise<readonly LogEvent[]> {
    return this.#inTurn(() => recoverTasks(this.#run, this.#rules, this.#now()));
  }

  async snapshot(given: SnapshotRequest): Promise<Snapshot> {
    const request = parseTaskRequest("snapshot", given) as SnapshotRequest;
    await this.#run.catchUp();
    return snapshotOf(this.#run, this.#rules, request);
  }

  async get(given: string): Promise<Task> {
    const id = parseTaskRequest("get", given);
    await this.#run.catchUp();
    return this.#known(id);
  }

  #find(id: string): TaskState | undefined {
    return treeGet(this.#run.view(taskBoard).tasks, id);
  }

  #known(id: string): Task {
    const task = this.#find(id);
    if (task === undefined) throw unknownTask(id);
    return { id, ...task };
  }

  // Claims of one process run one after the other: together they would only compete for the same tasks.
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(work);
    this.#turn = next.catch(() => {});
    return next;
  }

  async #end(
    event_type: string,
    hold: Hold,
    details: JsonObject,
    { state, ...options }: EndOptions & { readonly state: "failed" | "available" },
  ): Promise<Task> {
    await this.#change(event_type, hold, details, { ...options, set: { state, owner: null } });
    return this.#known(hold.task);
  }

  async #change(
    event_type: string,
    { task, agent, fence }: Hold,
    details: JsonObject,
    { documents, request_id, ...write }: Partial<TaskWrite> & EndOptions,
  ): Promise<void> {
    const event: RecordableEvent = {
      event_type,
      agent_id: agent,
      task_id: task,
      details: { fence, ...details },
    };
    await this.#run.record([event], {
      task: { id: storedName(this.#run, task), fence, ...write },
      ...omitUndefined({ documents, request_id }),
    });
  }
}

const isSame = (
  task: TaskState,
  details: Pick<TaskState, "title" | "dependencies" | "capabilities">,
): boolean =>
  JSON.stringify([task.title, task.dependencies, task.capabilities]) ===
  JSON.stringify([details.title, details.dependencies, details.capabilities]);
