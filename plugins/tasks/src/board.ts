import type { JsonObject } from "@bylaw/kernel";
import { treeDrop, treeEntries, treeGet, treePut, type Tree } from "@bylaw/log";

/**
 * `blocked`: waits for other tasks. `ready`: free. `claimed`: an agent holds it. `waiting`: its agent was lost, and it becomes free
 * at a set time. `escalated`: its agent was lost, and a person must decide. `failed` and `completed`: over.
 */
export type TaskStatus =
  | "blocked"
  | "ready"
  | "claimed"
  | "waiting"
  | "escalated"
  | "failed"
  | "completed";

/** The reason why a task could not move on. */
export interface Blocker {
  readonly code: string;
  readonly reason: string;
  readonly fix?: string;
}

/** A task, by the log. */
export interface TaskState {
  /** The sequence of the event that created it. No earlier event is about it. */
  readonly created: number;
  readonly title: string | null;
  readonly dependencies: readonly string[];
  /** The capabilities that an agent needs for it. */
  readonly capabilities: readonly string[];
  readonly status: TaskStatus;
  /** The number of its dependencies that are not completed. */
  readonly unmet: number;
  /** The fence of the last claim; 0 for a task that was never claimed. */
  readonly fence: number;
  /** The agent that holds it, or held it last. */
  readonly agent: string | null;
  /** The time when the lease ends, or when the task becomes free again. RFC 3339, UTC, milliseconds. */
  readonly until: string | null;
  /** How often its agent was lost since a person last retried it. */
  readonly lapses: number;
  /** The request id of the current claim. */
  readonly request_id: string | null;
  /** The blockers of its last transition. */
  readonly blockers: readonly Blocker[];
  /** The changes to the plan on its behalf. */
  readonly prd_state: JsonObject | null;
}

/** Every task, with indexes over them. An event copies only the path to what it changes. */
export interface Board {
  readonly tasks: Tree<TaskState>;
  /** By dependency: the tasks that wait for it. */
  readonly dependents: Tree<Tree<number>>;
  /** By set of capabilities: the free tasks in the order of their creation. */
  readonly ready: Tree<Tree<string>>;
  /** By time: the leases that end and the tasks that become free. */
  readonly due: Tree<string>;
  /** By agent and request id: the task held by that request. */
  readonly asked: Tree<string>;
  /** Tasks that are completed without the store's knowledge. */
  readonly unfinished: Tree<true>;
  /** By directive: a change to the plan that nobody has reported as done. */
  readonly plans: Tree<{ readonly task: string; readonly params: JsonObject }>;
}

export const EMPTY: Board = {
  tasks: null,
  dependents: null,
  ready: null,
  due: null,
  asked: null,
  unfinished: null,
  plans: null,
};

/** A key whose text order is the order of the numbers. */
const inOrder = (sequence: number): string => String(sequence).padStart(12, "0");
/** The key of an agent's request. */
export const askedKey = (agent: string | null, request_id: string): string =>
  JSON.stringify([agent, request_id]);
const LAST = Date.parse("9999-12-31T23:59:59.999Z");
/** A time in the one form whose text order is the order of time. */
export const isoOf = (time: string): string =>
  ISO.test(time) ? time : new Date(Math.min(Date.parse(time), LAST)).toISOString();
// Only days that every month has, so that a text of this form is a valid time.
const ISO =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** The later of two times, of which the second may be missing. A heartbeat by a slow clock never shortens a lease. */
export const laterOf = (time: string, other: string | null | undefined): string =>
  isoOf(time) < (other ?? "") ? (other ?? "") : isoOf(time);

export function withTask(board: Board, id: string, after: TaskState): Board {
  const before = treeGet(board.tasks, id);
  const cleared = before === undefined ? board : indexed(board, id, before, treeDrop);
  return indexed({ ...cleared, tasks: treePut(board.tasks, id, after) }, id, after, treePut);
}

type Edit = (tree: Tree<string>, key: string, value: string) => Tree<string>;

/** Adds a task to the indexes, or removes it. */
function indexed(
  board: Board,
  id: string,
  { status, created, capabilities, until, agent, request_id }: TaskState,
  edit: Edit,
): Board {
  const place = inOrder(created);
  if (status === "ready") {
    const ready = within(board.ready, JSON.stringify(capabilities), (of) => edit(of, place, id));
    return { ...board, ready };
  }
  if (status !== "waiting" && status !== "claimed") return board;
  const due = edit(board.due, `${until ?? ""} ${place}`, id);
  if (status === "waiting" || request_id === null) return { ...board, due };
  return { ...board, due, asked: edit(board.asked, askedKey(agent, request_id), id) };
}

/** A copy of a tree of trees with one of them changed. Empty ones are removed. */
export function within<Value>(
  tree: Tree<Tree<Value>>,
  key: string,
  change: (of: Tree<Value>) => Tree<Value>,
): Tree<Tree<Value>> {
  const after = change(treeGet(tree, key) ?? null);
  return after === null ? treeDrop(tree, key) : treePut(tree, key, after);
}

/** An agent that looks for a task: its capabilities, and the time. */
export interface Seeking {
  readonly capabilities: readonly string[];
  /** RFC 3339, UTC. */
  readonly now: string;
  /** Tasks to skip. */
  readonly passed?: ReadonlySet<string>;
}

/** Whether an agent with these capabilities may have a task now. */
export function isFree(
  { status, until, capabilities: needed }: TaskState,
  { capabilities, now }: Seeking,
): boolean {
  if (!needed.every((one) => capabilities.includes(one))) return false;
  return status === "ready" || (status === "waiting" && (until ?? "") <= isoOf(now));
}

/** The earliest created task among the free ones within an agent's capabilities. */
export function nextTask(board: Board, seeking: Seeking): string | undefined {
  let best: { readonly id: string; readonly created: number } | undefined;
  const offer = (id: string): boolean => {
    const task = treeGet(board.tasks, id);
    if (task === undefined || seeking.passed?.has(id) === true || !isFree(task, seeking))
      return false;
    if (best === undefined || task.created < best.created) best = { id, created: task.created };
    return true;
  };
  // The first task of each matching set suffices, because each set is sorted.
  for (const [, ids] of treeEntries(board.ready)) {
    for (const [, id] of treeEntries(ids)) {
      const task = treeGet(board.tasks, id);
      if (offer(id) || (task !== undefined && !isFree(task, seeking))) break;
    }
  }
  for (const [, id] of dueBy(board, seeking.now)) offer(id);
  return best?.id;
}

/** The tasks that are due by a time, earliest first. */
export function* dueBy(board: Board, now: string): Generator<readonly [at: string, id: string]> {
  const limit = isoOf(now);
  for (const [key, id] of treeEntries(board.due)) {
    const at = key.slice(0, key.indexOf(" "));
    if (at > limit) return;
    yield [at, id];
  }
}
