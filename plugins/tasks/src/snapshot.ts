import type { Contract } from "@bylaw/contract";
import type { JsonObject } from "@bylaw/kernel";
import { currentPhases, phaseOf, treeGet, type Run } from "@bylaw/log";
import type { Blocker } from "./board.ts";
import { taskBoard } from "./task-board.ts";
import { unknownTask } from "./task-requests.ts";

/** Which task, and which page of the snapshot. */
export interface SnapshotRequest {
  readonly task: string;
  /** The `next` of the previous page. Left out: the first page. */
  readonly cursor?: string;
}

/**
 * The fields that `snapshot_includes` of the contract names. The first page has all of them, with the dependencies that fit. Later
 * pages have only dependencies.
 */
export interface Snapshot {
  /** The dependencies of this task, in their original order. */
  readonly task_dependencies?: readonly string[];
  /** The completed ones among the dependencies on this page. */
  readonly completed_tasks?: readonly string[];
  /** By the log; `null`: the task has entered no phase yet. */
  readonly current_phase?: string | null;
  /** The blockers of the task's last transition, if any. */
  readonly blockers?: readonly Blocker[];
  /** The changes to the plan on behalf of the task. */
  readonly prd_state?: JsonObject | null;
  /** The cursor of the next page; `null` on the last one. */
  readonly next: string | null;
}

/** In bytes of JSON: the whole page, the changes to the plan, and each text. */
const MAX_BYTES = { page: 96_000, plan: 16_000, text: 800 } as const;

const encoder = new TextEncoder();
const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;

/** One page. Throws BYLAW_TASK_UNKNOWN. */
export function snapshotOf(
  run: Run,
  { coordination }: Pick<Contract, "coordination">,
  { task: id, cursor }: SnapshotRequest,
): Snapshot {
  const { tasks } = run.view(taskBoard);
  const task = treeGet(tasks, id);
  if (task === undefined) throw unknownTask(id);
  const has = (part: Contract["coordination"]["snapshotIncludes"][number]): boolean =>
    coordination.snapshotIncludes.includes(part);
  const start = Number(cursor ?? "0");
  const phase = phaseOf(run.view(currentPhases), id);
  const first = {
    ...(has("current_phase") && { current_phase: phase === undefined ? null : cut(phase) }),
    ...(has("blockers") && { blockers: task.blockers.map(shortened) }),
    ...(has("prd_state") && { prd_state: planOf(task.prd_state) }),
  };
  const rest = cursor === undefined ? first : {};
  const listed = {
    task_dependencies: has("task_dependencies"),
    completed_tasks: has("completed_tasks"),
  };
  const names: string[] = [];
  const completed: string[] = [];
  let left =
    MAX_BYTES.page -
    bytesOf({ task_dependencies: [], completed_tasks: [], ...rest, next: "1234567" });
  let at = start;
  for (
    ;
    (listed.task_dependencies || listed.completed_tasks) && at < task.dependencies.length;
    at += 1
  ) {
    const name = task.dependencies[at] ?? "";
    const done = listed.completed_tasks && treeGet(tasks, name)?.status === "completed";
    left -= (bytesOf(name) + 1) * ((listed.task_dependencies ? 1 : 0) + (done ? 1 : 0));
    if (left < 0) break;
    if (listed.task_dependencies) names.push(name);
    if (done) completed.push(name);
  }
  const more =
    (listed.task_dependencies || listed.completed_tasks) && at < task.dependencies.length;
  return {
    ...(listed.task_dependencies && { task_dependencies: names }),
    ...(listed.completed_tasks && { completed_tasks: completed }),
    ...rest,
    next: more ? String(at) : null,
  };
}

const shortened = ({ code, reason, fix }: Blocker): Blocker => ({
  code: cut(code),
  reason: cut(reason),
  ...(fix === undefined ? {} : { fix: cut(fix) }),
});

// A character takes at most six bytes of JSON, so the loop is short.
function cut(text: string): string {
  let kept = text;
  while (bytesOf(kept) > MAX_BYTES.text)
    kept = kept.slice(0, Math.floor(kept.length * 0.8)).toWellFormed();
  return kept;
}

function planOf(state: JsonObject | null): JsonObject | null {
  const bytes = state === null ? 0 : bytesOf(state);
  return bytes > MAX_BYTES.plan ? { omitted_bytes: bytes } : state;
}
