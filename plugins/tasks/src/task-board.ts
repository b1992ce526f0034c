import { COMPLETED_PHASE } from "@bylaw/contract";
import {
  defineProjection,
  isJsonObject,
  type Json,
  type JsonObject,
  type LogEvent,
  type View,
} from "@bylaw/kernel";
import { treeDrop, treeEntries, treeGet, treePut } from "@bylaw/log";
import {
  EMPTY,
  isoOf,
  laterOf,
  withTask,
  within,
  type Blocker,
  type Board,
  type TaskState,
} from "./board.ts";
import { CODES } from "./codes.ts";
import { taskEventOf } from "./events.ts";
import { faultOf } from "./fault.ts";

/** How many blockers of a transition are kept, and how many characters of each. */
const KEPT = { blockers: 20, text: 500 } as const;

/** The tasks of a run. An impossible event changes nothing, so a log that was written without the guards is read in one way. */
export const taskBoard = defineProjection<Board>({
  name: "@bylaw/plugin-tasks/board",
  version: 3,
  scope: "task",
  initial: EMPTY,
  reduce(board, event) {
    if (event.event_type.startsWith("directive_")) return planned(board, event);
    if (event.task_id === null) return board;
    if (event.event_type === "transition_blocked") return blocked(board, event, event.task_id);
    return faultOf(board, event) === undefined ? changed(board, event, event.task_id) : board;
  },
});

/** A task, by the log; `undefined` for one that was never created. */
export const taskOf = (view: View, id: string): TaskState | undefined =>
  treeGet(view(taskBoard).tasks, id);

function changed(board: Board, event: LogEvent, id: string): Board {
  const task = treeGet(board.tasks, id);
  if (event.event_type === "phase_entered")
    return task === undefined ? board : moved(board, event, id, task);
  const read = taskEventOf(event);
  if (read === undefined) return board;
  if (read.type === "task_created") return withCreated(board, id, read.details, event.sequence);
  if (task === undefined) return board;
  const put = (fields: Partial<TaskState>): Board => withTask(board, id, { ...task, ...fields });
  const { type, details } = read;
  switch (type) {
    case "task_claimed": {
      const { fence, lease_until, request_id } = details;
      return put({
        status: "claimed",
        agent: event.agent_id,
        fence,
        until: isoOf(lease_until),
        request_id,
      });
    }
    case "task_renewed":
      return put({ until: laterOf(details.lease_until, task.until) });
    case "task_lapsed":
      return put({
        status: "waiting",
        fence: details.fence,
        until: isoOf(details.retry_at),
        lapses: details.retry,
        request_id: null,
      });
    case "task_escalated":
      return put({
        status: "escalated",
        fence: details.fence,
        until: null,
        lapses: details.lapses,
        request_id: null,
      });
    case "task_released":
      return put({ status: "ready", until: null, request_id: null });
    case "task_failed":
      return put({ status: "failed", until: null, request_id: null });
    case "task_retried":
      return put({ status: "ready", until: null, lapses: 0 });
    case "task_finished":
      return { ...board, unfinished: treeDrop(board.unfinished, id) };
  }
}

type Created = Extract<
  ReturnType<typeof taskEventOf>,
  { readonly type: "task_created" }
>["details"];

function withCreated(
  board: Board,
  id: string,
  { title, dependencies, capabilities }: Created,
  sequence: number,
): Board {
  const unmet = dependencies.filter(
    (one) => treeGet(board.tasks, one)?.status !== "completed",
  ).length;
  let { dependents } = board;
  for (const one of dependencies)
    dependents = within(dependents, one, (of) => treePut(of, id, sequence));
  return withTask({ ...board, dependents }, id, {
    created: sequence,
    title,
    dependencies,
    capabilities: capabilities.toSorted(),
    unmet,
    status: unmet > 0 ? "blocked" : "ready",
    fence: 0,
    agent: null,
    until: null,
    lapses: 0,
    request_id: null,
    blockers: [],
    prd_state: null,
  });
}

function moved(board: Board, { details }: LogEvent, id: string, task: TaskState): Board {
  if (details["to"] !== COMPLETED_PHASE)
    return task.blockers.length === 0 ? board : withTask(board, id, { ...task, blockers: [] });
  let after = withTask(board, id, {
    ...task,
    status: "completed",
    until: null,
    request_id: null,
    blockers: [],
  });
  // The store needs to know nothing about a task that nobody claimed.
  if (task.fence > 0)
    after = { ...after, unfinished: treePut(after.unfinished, id, true as const) };
  for (const [name] of treeEntries(treeGet(board.dependents, id) ?? null)) {
    const child = treeGet(after.tasks, name);
    if (child === undefined) continue;
    const unmet = child.unmet - 1;
    after = withTask(after, name, {
      ...child,
      unmet,
      status: unmet === 0 && child.status === "blocked" ? "ready" : child.status,
    });
  }
  return after;
}

function blocked(board: Board, { details }: LogEvent, id: string): Board {
  const task = treeGet(board.tasks, id);
  if (task === undefined) return board;
  const blockers = blockersOf(details["decision"]);
  // A refusal of an agent that does not hold the task is no blocker of the task.
  if (blockers.some(({ code }) => Object.hasOwn(CODES, code))) return board;
  return withTask(board, id, { ...task, blockers: blockers.slice(0, KEPT.blockers) });
}

function blockersOf(decision: Json | undefined): readonly Blocker[] {
  if (!isJsonObject(decision)) return [];
  const votes = (
    Array.isArray(decision["votes"]) ? (decision["votes"] as readonly Json[]) : []
  ).filter(isJsonObject);
  const against = votes.filter(
    ({ effect, shadow, severity }) =>
      effect !== "allow" && shadow !== true && severity !== "warning",
  );
  return (against.length > 0 ? against : [decision]).map(({ code, reason, fix }) => ({
    code: textOf(code),
    reason: textOf(reason),
    ...(fix === undefined ? {} : { fix: textOf(fix) }),
  }));
}

const textOf = (value: Json | undefined): string =>
  String(value ?? "")
    .slice(0, KEPT.text)
    .toWellFormed();

function planned(board: Board, { event_type, task_id, details }: LogEvent): Board {
  const { directive, action, params, ok } = details;
  if (typeof directive !== "string") return board;
  if (event_type === "directive_issued") {
    if (action !== "update_prd_state" || task_id === null) return board;
    return {
      ...board,
      plans: treePut(board.plans, directive, {
        task: task_id,
        params: isJsonObject(params) ? params : {},
      }),
    };
  }
  const plan = treeGet(board.plans, directive);
  if (event_type !== "directive_completed" || plan === undefined) return board;
  const task = treeGet(board.tasks, plan.task);
  const after = { ...board, plans: treeDrop(board.plans, directive) };
  if (ok !== true || task === undefined) return after;
  return withTask(after, plan.task, {
    ...task,
    prd_state: mergedOf(task.prd_state ?? {}, plan.params),
  });
}

const mergedOf = (before: JsonObject, params: JsonObject): JsonObject => ({ ...before, ...params });
