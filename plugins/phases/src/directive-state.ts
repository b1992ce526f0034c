import { defineProjection, type JsonObject, type LogEvent, type View } from "@bylaw/kernel";
import { treeDrop, treeEntries, treeGet, treePut, type Tree } from "@bylaw/log";
import type { DirectiveIssued } from "./directive-events.ts";
import type { PhaseEntry } from "./directives.ts";

/** A directive that was issued but not completed. */
export interface OpenDirective extends DirectiveIssued {
  readonly task: string;
  /** The phase that the task had entered. */
  readonly phase: string;
  /** RFC 3339, UTC. */
  readonly issued_at: string;
}

/** The phase of a task, the directives of its entry, and the agents that worked on it. */
export interface TaskDirectives extends PhaseEntry {
  /** The ids of the directives of this entry, completed or not. */
  readonly issued: readonly string[];
  /** The open ones among them that the task waits for. */
  readonly awaited: readonly string[];
  /** All open directives of the task, including those of earlier entries. */
  readonly open: Tree<true>;
  /** The agents that completed a `spawn` of this entry. */
  readonly reporters: readonly string[];
  /**
   * Agents that requested a transition of the task (`phase: null`) or made a call in one of its
   * phases, each once.
   */
  readonly workers: readonly { readonly agent: string; readonly phase: string | null }[];
}

export interface DirectiveState {
  readonly tasks: Tree<TaskDirectives>;
  readonly open: Tree<OpenDirective>;
}

/** The last entry of each task, and the open directives by id. */
export const directiveState = defineProjection<DirectiveState>({
  name: "@bylaw/plugin-phases/directives",
  version: 2,
  scope: "task",
  initial: { tasks: null, open: null },
  reduce(state, event) {
    const { event_type, task_id, agent_id, details } = event;
    if (task_id === null) return state;
    const task = treeGet(state.tasks, task_id);
    if (event_type === "phase_entered") return entered(state, task, task_id, event);
    if (task === undefined) return state;
    if (event_type === "tool_allowed")
      return agent_id === null ? state : withTask(state, task_id, worked(task, agent_id, task.to));
    if (event_type === "directive_issued") return issued(state, task, task_id, event);
    if (event_type === "directive_completed") return completed(state, task, task_id, details);
    return state;
  },
});

const withTask = (state: DirectiveState, id: string, task: TaskDirectives): DirectiveState =>
  treeGet(state.tasks, id) === task ? state : { ...state, tasks: treePut(state.tasks, id, task) };

function worked(task: TaskDirectives, agent: string, phase: string | null): TaskDirectives {
  if (task.workers.some((one) => one.agent === agent && one.phase === phase)) return task;
  return { ...task, workers: [...task.workers, { agent, phase }] };
}

function entered(
  { tasks, open }: DirectiveState,
  before: TaskDirectives | undefined,
  id: string,
  event: LogEvent,
): DirectiveState {
  const { sequence, agent_id, details } = event;
  const from = typeof details["from"] === "string" ? details["from"] : null;
  const entry = {
    entered: sequence,
    from,
    to: String(details["to"]),
    issued: [],
    awaited: [],
    reporters: [],
  };
  // The awaited directives belong to a phase that the task has left.
  const awaited = before?.awaited ?? [];
  const without = <Value>(tree: Tree<Value>): Tree<Value> =>
    awaited.reduce<Tree<Value>>((rest, one) => treeDrop(rest, one), tree);
  const task: TaskDirectives = {
    ...entry,
    open: without(before?.open ?? null),
    workers: before?.workers ?? [],
  };
  return {
    tasks: treePut(tasks, id, agent_id === null ? task : worked(task, agent_id, null)),
    open: without(open),
  };
}

function issued(
  state: DirectiveState,
  task: TaskDirectives,
  id: string,
  { details, timestamp }: LogEvent,
): DirectiveState {
  const said = details as unknown as DirectiveIssued;
  const { directive, wait } = said;
  const one: OpenDirective = { ...said, task: id, phase: task.to, issued_at: timestamp };
  return {
    tasks: treePut(state.tasks, id, {
      ...task,
      issued: [...task.issued, directive],
      open: treePut(task.open, directive, true as const),
      awaited: wait ? [...task.awaited, directive] : task.awaited,
    }),
    open: treePut(state.open, directive, one),
  };
}

function completed(
  state: DirectiveState,
  task: TaskDirectives,
  id: string,
  details: JsonObject,
): DirectiveState {
  const directive = String(details["directive"]);
  const done = treeGet(state.open, directive);
  if (done === undefined) return state;
  const open = treeDrop(state.open, directive);
  // A directive of an earlier entry may still be completed if the task does not wait for it.
  const rest = { ...task, open: treeDrop(task.open, directive) };
  if (!task.issued.includes(directive)) return { open, tasks: treePut(state.tasks, id, rest) };
  const { agent } = details;
  const reports = done.action === "spawn" && typeof agent === "string";
  return {
    open,
    tasks: treePut(state.tasks, id, {
      ...rest,
      awaited: task.awaited.filter((other) => other !== directive),
      reporters: reports ? [...task.reporters, agent] : task.reporters,
    }),
  };
}

/** The open directives, of all tasks or of one, in the order of issue. */
export function openDirectives(
  view: View,
  { task }: { readonly task?: string } = {},
): readonly OpenDirective[] {
  const { tasks, open } = view(directiveState);
  // For one task, without searching those of all others.
  const ids =
    task === undefined
      ? undefined
      : [...treeEntries(treeGet(tasks, task)?.open ?? null)].map(([id]) => id);
  const found =
    ids === undefined
      ? [...treeEntries(open)].map(([, one]) => one)
      : ids.flatMap((id) => treeGet(open, id) ?? []);
  return found.sort(inOrder);
}

function inOrder(one: OpenDirective, other: OpenDirective): number {
  const [[entry = 0, index = 0], [otherEntry = 0, otherIndex = 0]] = [one, other].map(
    ({ directive }) => directive.split(".").map(Number),
  ) as [number[], number[]];
  return entry - otherEntry || index - otherIndex;
}

/** The directives of one task's entry; undefined if it has entered no phase. */
export const directivesOfTask = (view: View, task: string): TaskDirectives | undefined =>
  treeGet(view(directiveState).tasks, task);
