import type { EventDraft, View } from "@bylaw/kernel";
import { treeGet, type Finding } from "@bylaw/log";
import { quote } from "@bylaw/wording";
import { taskOf, textOf } from "./event-content.ts";
import { coordinatorLife, judge } from "./projection.ts";
import { COORDINATOR_RULES } from "./rules.ts";

/** Refuses an event that breaks an order rule. A rule of severity `warning` refuses nothing. */
export function coordinatorGuard(view: View, event: EventDraft): Finding | undefined {
  const { broken } = judge(view(coordinatorLife), event);
  return broken === undefined || COORDINATOR_RULES[broken.rule].severity === "warning"
    ? undefined
    : broken;
}

const VERDICTS: ReadonlySet<string> = new Set(["critic_dispatched", "auditor_dispatched"]);

/** Rule `OWN_WORK`: a developer of a task is neither its critic nor its auditor, and dispatches neither. */
export function ownWorkGuard(view: View, event: EventDraft): Finding | undefined {
  if (!VERDICTS.has(event.event_type)) return undefined;
  const task = taskOf(event) ?? "";
  const developers = treeGet(view(coordinatorLife).tasks, task)?.life?.developers ?? [];
  const own = [event.agent_id, textOf(event, "agent_id")].find(
    (name) => typeof name === "string" && developers.includes(name),
  );
  if (typeof own !== "string") return undefined;
  const message = `${quote(own)} developed task ${quote(task)}, so another agent must review and audit it.`;
  return { rule: "OWN_WORK", message };
}
