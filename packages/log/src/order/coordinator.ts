import type { EventDraft, Finding, Projection, View } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { coordinatorLife, judge } from "./coordinator-life.ts";
import { taskOf, textOf } from "./event-parts.ts";
import { entriesOfKeyed, valueOf } from "./keyed.ts";
import { LOG_RULES } from "./rules.ts";
import type { TaskState } from "./task.ts";

/** What a log says of a coordinator's work as a whole. Plain data; a state holds more, which may change. */
export interface Coordination {
  /** How many tasks this log shows complete. */
  readonly completed: number;
  readonly infrastructure: { readonly blocked: boolean };
  /**
   * `ended_by`: the event that ended it, `workflow_complete` or `workflow_failed`. `before`: how many tasks were complete before
   * the log began, where it begins with a resume.
   */
  readonly workflow: { readonly ended_by: string | null; readonly before: number };
}

/**
 * The life cycle of a coordinator's work, as the order rules read it from a log. What an impossible event would change stays as it
 * was. An event of a log without a coordinator costs one look into a set.
 */
export const coordinatorState: Projection<Coordination> = coordinatorLife;

/** Where every task stands of which the log says something, by its id, in the order of the ids. */
export function coordinatorTasks(view: View): ReadonlyMap<string, TaskState> {
  return new Map(entriesOfKeyed(view(coordinatorLife).tasks).flatMap(([id, { life }]) => (life === null ? [] : [[id, life]])));
}

/** The order rule of the profile `coordinator` by which an event is impossible now. What is only odd, a warning, passes. */
export function coordinatorGuard(view: View, event: EventDraft): Finding | undefined {
  const { broken } = judge(view(coordinatorLife), event);
  return broken === undefined || LOG_RULES[broken.rule].severity === "warning" ? undefined : broken;
}

const VERDICTS: ReadonlySet<string> = new Set(["critic_dispatched", "auditor_dispatched"]);

/** Rule `OWN_WORK`: whoever was dispatched as a developer of a task is neither its critic nor its auditor, nor dispatches one. */
export function ownWorkGuard(view: View, event: EventDraft): Finding | undefined {
  if (!VERDICTS.has(event.event_type)) return undefined;
  const task = taskOf(event) ?? "";
  const developers = valueOf(view(coordinatorLife).tasks, task)?.life?.developers ?? [];
  const own = [event.agent_id, textOf(event, "agent_id")].find((name) => typeof name === "string" && developers.includes(name));
  if (typeof own !== "string") return undefined;
  const message = `Unexpected ${event.event_type} of ${quote(own)}, who developed task ${quote(task)}, expected somebody else`;
  return { rule: "OWN_WORK", message };
}
