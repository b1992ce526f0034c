import { COMPLETED_PHASE } from "@bylaw/contract";
import { defineProjection, type LogEvent } from "@bylaw/kernel";
import { treeDrop, treeGet, treePut, type Tree } from "@bylaw/log";
import manifest from "../package.json" with { type: "json" };
import { judgedBy } from "./votes.ts";

/** The phase of a task, and since when it is there. */
export interface PhaseStay {
  readonly phase: string;
  /** RFC 3339. */
  readonly since: string;
  /** The sequence of the event by which it entered. */
  readonly entered: number;
}

/** How long tasks were in a phase before they left it. */
export interface Durations {
  readonly count: number;
  /** Milliseconds. */
  readonly total_ms: number;
  readonly max_ms: number;
}

/** The outcomes of requests for one transition. */
export interface Requests {
  readonly passed: number;
  readonly blocked: number;
  readonly pending: number;
}

/** How often a tool was requested in a phase. */
export interface ToolUses {
  readonly allowed: number;
  readonly asked: number;
  readonly denied: number;
}

/** All measurements. The trees share unchanged parts, so an event costs the same with one task or ten thousand. */
export interface Metrics {
  /** By task, without completed ones. */
  readonly tasks: Tree<PhaseStay>;
  /** By the phase that was left. */
  readonly durations: Tree<Durations>;
  /** By {@link edgeKey}. */
  readonly requests: Tree<Requests>;
  /** By phase, then by tool. Calls outside a phase are under the empty text. */
  readonly uses: Tree<Tree<ToolUses>>;
  /** By artifact: the number of requests in which it was insufficient. */
  readonly failures: Tree<number>;
}

const NOTHING: Metrics = {
  tasks: null,
  durations: null,
  requests: null,
  uses: null,
  failures: null,
};
// A model can invent a tool name for every call, and an artifact for every request.
const NAMES = 1_000;
const OTHERS = "(others)";
const MAX_LENGTH = 500;

export const edgeKey = (from: string, to: string): string => JSON.stringify([from, to]);

/** The measurements of a run's log, whatever the contract. */
export const workflowMetrics = defineProjection<Metrics>({
  name: `${manifest.name}/metrics`,
  version: 1,
  scope: "task",
  initial: NOTHING,
  reduce(state, event) {
    if (event.event_type === "phase_entered") return entered(requested(state, event), event);
    if (event.event_type === "transition_blocked") return requested(state, event);
    const use = USES[event.event_type];
    return use === undefined ? state : { ...state, uses: used(state.uses, event, use) };
  },
});

const USES: Readonly<Record<string, keyof ToolUses>> = Object.assign(
  Object.create(null) as object,
  { tool_allowed: "allowed", tool_asked: "asked", tool_denied: "denied" } as const,
);

function entered(state: Metrics, { task_id, timestamp, sequence, details }: LogEvent): Metrics {
  const to = details["to"];
  if (task_id === null || typeof to !== "string") return state;
  const before = treeGet(state.tasks, task_id);
  const durations =
    before === undefined ? state.durations : left(state.durations, before, timestamp);
  const tasks =
    to === COMPLETED_PHASE
      ? treeDrop(state.tasks, task_id)
      : treePut(state.tasks, task_id, { phase: to, since: timestamp, entered: sequence });
  return { ...state, tasks, durations };
}

function left(
  durations: Tree<Durations>,
  { phase, since }: PhaseStay,
  now: string,
): Tree<Durations> {
  const ms = millisecondsBetween(since, now);
  const { count, total_ms, max_ms } = treeGet(durations, phase) ?? {
    count: 0,
    total_ms: 0,
    max_ms: 0,
  };
  return treePut(durations, phase, {
    count: count + 1,
    total_ms: total_ms + ms,
    max_ms: Math.max(max_ms, ms),
  });
}

/** Milliseconds from one RFC 3339 time to another; 0 if the second is not later. */
export function millisecondsBetween(since: string, now: string): number {
  const ms = Date.parse(now) - Date.parse(since);
  return ms > 0 ? ms : 0;
}

function requested(state: Metrics, { details: { from, to, decision } }: LogEvent): Metrics {
  const { gate, artifacts } = judgedBy(decision);
  const failures = artifacts.reduce((tree, artifact) => {
    const name = bounded(tree, artifact);
    return treePut(tree, name, (treeGet(tree, name) ?? 0) + 1);
  }, state.failures);
  if (typeof from !== "string" || typeof to !== "string") return { ...state, failures };
  const key = bounded(state.requests, edgeKey(from, to));
  const before = treeGet(state.requests, key) ?? { passed: 0, blocked: 0, pending: 0 };
  return {
    ...state,
    failures,
    requests: treePut(state.requests, key, { ...before, [gate]: before[gate] + 1 }),
  };
}

function used(
  uses: Tree<Tree<ToolUses>>,
  { details: { phase, tool } }: LogEvent,
  use: keyof ToolUses,
): Tree<Tree<ToolUses>> {
  if (typeof tool !== "string") return uses;
  const at = bounded(uses, typeof phase === "string" ? phase : "");
  const tools = treeGet(uses, at) ?? null;
  const name = bounded(tools, tool);
  const before = treeGet(tools, name) ?? { allowed: 0, asked: 0, denied: 0 };
  return treePut(uses, at, treePut(tools, name, { ...before, [use]: before[use] + 1 }));
}

function bounded(tree: Tree<unknown>, given: string): string {
  const name = given.slice(0, MAX_LENGTH);
  return (tree?.size ?? 0) < NAMES || treeGet(tree, name) !== undefined ? name : OTHERS;
}
