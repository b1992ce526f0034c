import type { Contract } from "@bylaw/contract";
import { BylawError, type EventDraft, type LogEvent } from "@bylaw/kernel";
import { treeEntries, type Run } from "@bylaw/log";
import manifest from "../package.json" with { type: "json" };
import { alertKey, openAlerts } from "./alert-book.ts";
import { alertName, crossingsOf, type ActiveAlert } from "./active-alerts.ts";
import { workflowMetrics } from "./metrics.ts";

/** When alerts are looked at. */
export interface AlertOptions {
  /** RFC 3339: the time that it is. */
  readonly at: string;
  /** Least answers of gates that a rate is judged over. Default: 5. */
  readonly samples?: number;
}

/** What changed. */
export interface RaisedAlerts {
  /** The events `alert_raised`, for whoever calls a person. */
  readonly raised: readonly LogEvent[];
  /** The events `alert_cleared`. */
  readonly cleared: readonly LogEvent[];
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
/** Over fewer answers of gates no rate means anything. */
const SAMPLES = 5;

/**
 * Looks at the alerts of a contract and records what changed: an alert once when its condition begins to hold, and that it is over once it
 * does not any more. What another process recorded meanwhile is not recorded twice. Throws BYLAW_OPTIONS_INVALID for a time that is none,
 * and what a run throws that records.
 */
export async function raiseAlerts(
  run: Run,
  contract: Contract,
  { at, samples = SAMPLES }: AlertOptions,
): Promise<RaisedAlerts> {
  if (typeof at !== "string" || !TIME.test(at) || Number.isNaN(Date.parse(at))) {
    const message = `\`${String(at)}\` is not an RFC 3339 time`;
    throw new BylawError({
      code: "BYLAW_OPTIONS_INVALID",
      message,
      fix: "Hand in such as `new Date().toISOString()`",
    });
  }
  // Other processes may have gone on since this one last wrote.
  await run.catchUp();
  const crossings = new Map(
    crossingsOf(run.view(workflowMetrics), contract, at, samples).map((one) => [keyOf(one), one]),
  );
  const open = new Map([...treeEntries(run.view(openAlerts))]);
  const begun = [...crossings]
    .filter(([key]) => !open.has(key))
    .map(([, crossing]) => raisedBy(crossing, contract, at));
  const over = [...open.entries()].filter(([key]) => !crossings.has(key));
  const ended = over.map(([, { alert, message, task, entered }]) => ({
    ...{
      event_type: "alert_cleared",
      agent_id: null,
      task_id: task,
      details: { alert, message, entered, at },
    },
  }));
  return { raised: await recorded(run, begun), cleared: await recorded(run, ended) };
}

type Draft = Pick<EventDraft, "event_type" | "agent_id" | "task_id" | "details">;

const keyOf = ({ alert, task, entered }: ActiveAlert): string =>
  alertKey({ alert: alertName(alert), message: alert.message, task, entered });

const raisedBy = (
  { alert, observed, samples, task, phase, entered }: ActiveAlert,
  { digest }: Contract,
  at: string,
): Draft => {
  const { metric, operator, value, action, message } = alert;
  const details = {
    alert: alertName(alert),
    message,
    entered,
    at,
    metric,
    operator,
    value,
    observed,
    samples,
    phase,
    action,
    contract: digest,
  };
  return { event_type: "alert_raised", agent_id: null, task_id: task, details };
};

// One by one: what another process was quicker with is left out, and the others are not.
async function recorded(run: Run, drafts: readonly Draft[]): Promise<readonly LogEvent[]> {
  const events: LogEvent[] = [];
  for (const draft of drafts) {
    try {
      events.push(...(await run.record([draft])));
    } catch (error) {
      // Only what our own guard refuses is somebody else's doing.
      if (
        !(error instanceof BylawError) ||
        error.code !== "BYLAW_EVENT_REFUSED" ||
        error.fix?.includes(`${manifest.name}/`) !== true
      )
        throw error;
    }
  }
  return events;
}
