import type { Contract } from "@bylaw/contract";
import { BylawError, type EventDraft, type LogEvent } from "@bylaw/kernel";
import { treeEntries, type Run } from "@bylaw/log";
import manifest from "../package.json" with { type: "json" };
import { alertKey, openAlerts } from "./alert-book.ts";
import { alertName, crossingsOf, type ActiveAlert } from "./active-alerts.ts";
import { workflowMetrics } from "./metrics.ts";

/** How to check alerts. */
export interface AlertOptions {
  /** The current time, RFC 3339. */
  readonly at: string;
  /** The least number of gate answers for a rate to count. Default: 5. */
  readonly samples?: number;
}

/** The changes. */
export interface RaisedAlerts {
  /** The events `alert_raised`, for the host to notify a person. */
  readonly raised: readonly LogEvent[];
  /** The events `alert_cleared`. */
  readonly cleared: readonly LogEvent[];
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
/** A rate over fewer gate answers means nothing. */
const SAMPLES = 5;

/**
 * Checks the alerts of a contract and records changes: an alert once when its condition becomes true, and its end once the condition is no
 * longer true. Changes that another process records meanwhile are not recorded twice. Throws BYLAW_OPTIONS_INVALID for an invalid time,
 * and what recording in a run throws.
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
      fix: "Pass a time such as `new Date().toISOString()` returns",
    });
  }
  // Other processes may have recorded events since this one last wrote.
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

// One by one, so that a change which another process recorded first does not drop the others.
async function recorded(run: Run, drafts: readonly Draft[]): Promise<readonly LogEvent[]> {
  const events: LogEvent[] = [];
  for (const draft of drafts) {
    try {
      events.push(...(await run.record([draft])));
    } catch (error) {
      // Only a refusal by our own guard means that another process was first.
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
