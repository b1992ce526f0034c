import { defineProjection, type EventDraft, type JsonObject, type KernelApi } from "@bylaw/kernel";
import { treeDrop, treeGet, treePut, type EventType, type Finding, type Tree } from "@bylaw/log";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { holds } from "./active-alerts.ts";

const about = {
  alert: z.string().min(1),
  message: z.string(),
  entered: z.int().positive().nullable(),
  at: z.iso.datetime({ offset: true }),
};

const raised = z.strictObject({
  ...about,
  metric: z.string().min(1),
  operator: z.enum([">", ">=", "<", "<="]),
  value: z.number(),
  observed: z.number(),
  samples: z.int().nullable(),
  phase: z.string().nullable(),
  action: z.literal("notify_human"),
  contract: z.string(),
});

const cleared = z.strictObject(about);

/** The types of events that this plugin declares. */
export const EVENT_TYPES: readonly EventType[] = [
  { name: "alert_raised", details: raised },
  { name: "alert_cleared", details: cleared },
];

/** An alert that was raised and not yet cleared. */
export interface OpenAlert {
  /** `gate_block_rate > 0.5`. */
  readonly alert: string;
  readonly message: string;
  readonly task: string | null;
  /** The sequence of the event by which the stuck task entered its phase. */
  readonly entered: number | null;
  /** The sequence of the event that raised it. */
  readonly raised: number;
}

/** The open alerts of a run, by {@link alertKey}. */
export const openAlerts = defineProjection<Tree<OpenAlert>>({
  name: `${manifest.name}/alerts`,
  version: 1,
  scope: "task",
  initial: null,
  reduce(state, { event_type, task_id, sequence, details }) {
    if (event_type === "alert_cleared") return treeDrop(state, keyOf(task_id, details));
    if (event_type !== "alert_raised") return state;
    const { alert, message, entered } = details;
    const open = {
      alert: String(alert),
      message: String(message),
      entered: typeof entered === "number" ? entered : null,
    };
    return treePut(state, keyOf(task_id, details), { ...open, task: task_id, raised: sequence });
  },
});

/** The identity of an alert: its condition, message, task, and the task's stay in the phase. */
export const alertKey = ({ alert, message, task, entered }: Omit<OpenAlert, "raised">): string =>
  JSON.stringify([alert, message, task, entered]);

const keyOf = (task: string | null, { alert, message, entered }: JsonObject): string =>
  JSON.stringify([alert, message, task, entered]);

/** Declares the events of alerts, and refuses impossible ones: raising an alert twice, and clearing one that is not open. */
export function declareAlerts(kernel: KernelApi): void {
  for (const type of EVENT_TYPES) kernel.event(type);
  kernel.projection(openAlerts);
  kernel.guard("alerts", (view, draft) => impossible(view(openAlerts), draft));
}

function impossible(
  open: Tree<OpenAlert>,
  { event_type, task_id, details }: EventDraft,
): Finding | undefined {
  if (event_type !== "alert_raised" && event_type !== "alert_cleared") return undefined;
  const known = treeGet(open, keyOf(task_id, details)) !== undefined;
  if (event_type === "alert_cleared") {
    return known
      ? undefined
      : { rule: "alert-open", message: "An alert that is not open cannot end" };
  }
  if (known)
    return { rule: "alert-once", message: "This alert was already raised for this crossing" };
  const { observed, operator, value } = details;
  if (holds(Number(observed), String(operator), Number(value))) return undefined;
  return { rule: "alert-true", message: "The condition of the alert does not hold" };
}
