import type { JsonObject } from "@bylaw/kernel";
import { treeDrop, treeEntries, treeGet, treePut, type Tree } from "@bylaw/log";

/**
 * `blocked`: waits for others. `ready`: free. `claimed`: an agent holds it. `waiting`: its agent was lost, and it is free again at a
 * time. `escalated`: its agent was lost, and a person has to look. `failed` and `completed`: over.
 */
export type TaskStatus =
  | "blocked"
  | "ready"
  | "claimed"
  | "waiting"
  | "escalated"
  | "failed"
  | "completed";

/** Why a task did not get on. */
export interface Blocker {
  readonly code: string;
  readonly reason: string;
  readonly fix?: string;
}

/** A task, as the log says. */
export interface TaskState {
  /** Sequence of the event that created it: no earlier event is about it. */
  readonly created: number;
  readonly title: string | null;
  readonly dependencies: readonly string[];
  /** What an agent must be able to do. */
  readonly capabilities: readonly string[];
  readonly status: TaskStatus;
  /** How many of its dependencies are not completed. */
  readonly unmet: number;
  /** Of the last claim; 0 for a task that nobody has claimed. */
  readonly fence: number;
  /** Who holds it, or held it last. */
  readonly agent: string | null;
  /** When the lease ends, or the task is free again. RFC 3339, UTC, milliseconds. */
  readonly until: string | null;
  /** How often its agent was lost since a person looked. */
  readonly lapses: number;
  /** Of the claim that holds it. */
  readonly request_id: string | null;
  /** What its last transition was blocked by. */
  readonly blockers: readonly Blocker[];
  /** What was done to the plan on its behalf. */
  readonly prd_state: JsonObject | null;
}

/** Every task, and what is looked for among them. Nothing is copied with an event but the way to what it changes. */
export interface Board {
  readonly tasks: Tree<TaskState>;
  /** By dependency: the tasks that wait for it. */
  readonly dependents: Tree<Tree<number>>;
  /** By set of capabilities: the free tasks in the order of their creation. */
  readonly ready: Tree<Tree<string>>;
  /** By time: the leases that end and the tasks that are free again. */
  readonly due: Tree<string>;
  /** By agent and request id: what it holds by that request. */
  readonly asked: Tree<string>;
  /** What is completed without the store's knowing. */
  readonly unfinished: Tree<true>;
  /** By directive: what is to be done to the plan, until somebody says that it was done. */
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

/** Keys that are ordered like the numbers. */
const inOrder = (sequence: number): string => String(sequence).padStart(12, "0");
/** The key of a request of an agent. */
export const askedKey = (agent: string | null, request_id: string): string =>
  JSON.stringify([agent, request_id]);
const LAST = Date.parse("9999-12-31T23:59:59.999Z");
/** A time in the one form whose texts are ordered like the times. */
export const isoOf = (time: string): string =>
  ISO.test(time) ? time : new Date(Math.min(Date.parse(time), LAST)).toISOString();
// Days that every month has: a time of this form is one.
const ISO =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** The later of two times, of which the second may be missing: a heartbeat on a clock that is behind never shortens a lease. */
export const laterOf = (time: string, other: string | null | undefined): string =>
  isoOf(time) < (other ?? "") ? (other ?? "") : isoOf(time);

export function withTask(board: Board, id: string, after: TaskState): Board {
  const before = treeGet(board.tasks, id);
  const cleared = before === undefined ? board : indexed(board, id, before, treeDrop);
  return indexed({ ...cleared, tasks: treePut(board.tasks, id, after) }, id, after, treePut);
}

type Edit = (tree: Tree<string>, key: string, value: string) => Tree<string>;

/** Puts a task into the trees that it is looked for in, or drops it from them. */
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

/** A tree of trees with one of them changed; one that is empty is left out. */
export function within<Value>(
  tree: Tree<Tree<Value>>,
  key: string,
  change: (of: Tree<Value>) => Tree<Value>,
): Tree<Tree<Value>> {
  const after = change(treeGet(tree, key) ?? null);
  return after === null ? treeDrop(tree, key) : treePut(tree, key, after);
}

/** What an agent that wants a task can do, and when. */
export interface Seeking {
  readonly capabilities: readonly string[];
  /** RFC 3339, UTC. */
  readonly now: string;
  /** What is not wanted. */
  readonly passed?: ReadonlySet<string>;
}

/** Whether an agent that can do this much may have a task now. */
export function isFree(
  { status, until, capabilities: needed }: TaskState,
  { capabilities, now }: Seeking,
): boolean {
  if (!needed.every((one) => capabilities.includes(one))) return false;
  return status === "ready" || (status === "waiting" && (until ?? "") <= isoOf(now));
}

/** The task that was created first among the free ones that an agent can do. */
export function nextTask(board: Board, seeking: Seeking): string | undefined {
  let best: { readonly id: string; readonly created: number } | undefined;
  const offer = (id: string): boolean => {
    const task = treeGet(board.tasks, id);
    if (task === undefined || seeking.passed?.has(id) === true || !isFree(task, seeking))
      return false;
    if (best === undefined || task.created < best.created) best = { id, created: task.created };
    return true;
  };
  // Of every set that the agent fits the first is enough: they are in order.
  for (const [, ids] of treeEntries(board.ready)) {
    for (const [, id] of treeEntries(ids)) {
      const task = treeGet(board.tasks, id);
      if (offer(id) || (task !== undefined && !isFree(task, seeking))) break;
    }
  }
  for (const [, id] of dueBy(board, seeking.now)) offer(id);
  return best?.id;
}

/** What is due by a time, the first first. */
export function* dueBy(board: Board, now: string): Generator<readonly [at: string, id: string]> {
  const limit = isoOf(now);
  for (const [key, id] of treeEntries(board.due)) {
    const at = key.slice(0, key.indexOf(" "));
    if (at > limit) return;
    yield [at, id];
  }
}
