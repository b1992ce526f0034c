import { quote } from "@bylaw/wording";
import { agentOf, isFrom, taskOf, type EventContent } from "./event-content.ts";
import { impossible, type CoordinatorRule, type Step } from "./rules.ts";

/** The status of a task. */
export type TaskStatus =
  | "available"
  | "implementing"
  | "awaiting_review"
  | "in_review"
  | "awaiting_audit"
  | "in_audit"
  | "complete";

/** The state of one task. */
export interface TaskState {
  readonly status: TaskStatus;
  /** Whether another developer or critic may follow the one at work. */
  readonly again: boolean;
  readonly critic: string | null;
  readonly auditor: string | null;
  /** Every agent that was dispatched as its developer. */
  readonly developers: readonly string[];
  /** How often a critic timed out in this review. */
  readonly timeouts: number;
  /** The time of its last completion, in milliseconds since 1970, also during a second audit. */
  readonly completed_at: number | null;
  /** Whether it was complete and is being audited again. */
  readonly reverified: boolean;
}

export const NEW_TASK: TaskState = {
  status: "available",
  again: false,
  critic: null,
  auditor: null,
  developers: [],
  timeouts: 0,
  completed_at: null,
  reverified: false,
};

/** The number of critic time-outs after which a task is audited without a review. */
const CRITIC_TIMEOUTS = 3;

type Transition = (task: TaskState, event: EventContent, at: number) => Step<TaskState>;

/** The state of the task after each event of spec/003's coordinator; docs/event-log-types.md draws it. Pure. */
export const TASK_STEPS: Readonly<Record<string, Transition>> = {
  developer_dispatched(task, event) {
    const free =
      task.status === "available" ||
      (task.status === "implementing" && task.again) ||
      event.details["resumed"] === true;
    if (!free)
      return wrongStatus(
        "DISPATCH_NOT_AVAILABLE",
        task,
        event,
        "the task must be available or sent back, or `resumed` must be true",
      );
    // The task is being changed, so an earlier completion no longer counts.
    return to(task, {
      status: "implementing",
      again: false,
      reverified: false,
      developers: withAgent(task.developers, agentOf(event)),
    });
  },
  developer_checkpoint: developing((task) => task),
  developer_blocked: developing((task) =>
    task.status === "implementing" ? { ...task, again: true } : task,
  ),
  developer_incomplete: developing((task) =>
    task.status === "implementing" ? { ...task, again: true } : task,
  ),
  signal_rejected: developing((task) =>
    task.status === "implementing" || task.status === "awaiting_review"
      ? { ...task, status: "implementing", again: true }
      : task,
  ),
  developer_ready_for_review(task, event) {
    if (task.status !== "implementing")
      return wrongStatus(
        "READY_WITHOUT_DISPATCH",
        task,
        event,
        "a developer must be at work on it",
      );
    return to(task, { status: "awaiting_review", again: false, timeouts: 0 });
  },
  critic_dispatched(task, event) {
    const free = task.status === "awaiting_review" || (task.status === "in_review" && task.again);
    if (!free)
      return wrongStatus(
        "REVIEW_OUT_OF_ORDER",
        task,
        event,
        "the task must be awaiting its review",
      );
    return to(task, { status: "in_review", again: false, critic: agentOf(event) ?? null });
  },
  critic_pass: reviewed((task) => ({ ...task, status: "awaiting_audit", again: false })),
  critic_fail: reviewed((task) => ({ ...task, status: "implementing", again: true })),
  critic_timeout: reviewed((task) => ({ ...task, timeouts: task.timeouts + 1, again: true })),
  auditor_dispatched(task, event) {
    const bypass = task.status === "in_review" && task.timeouts >= CRITIC_TIMEOUTS;
    // No event reports an auditor's time-out. The log only shows that the next auditor is dispatched.
    const free = task.status === "awaiting_audit" || task.status === "in_audit" || bypass;
    if (!free)
      return wrongStatus(
        "AUDIT_BEFORE_REVIEW",
        task,
        event,
        `a \`critic_pass\` must come first, or ${CRITIC_TIMEOUTS} \`critic_timeout\`s`,
      );
    return to(task, { status: "in_audit", again: false, auditor: agentOf(event) ?? null });
  },
  task_complete: audited((task, at) => ({
    ...task,
    status: "complete",
    completed_at: at,
    reverified: false,
  })),
  auditor_fail: audited((task) => ({
    ...task,
    status: "implementing",
    again: true,
    reverified: false,
  })),
  auditor_blocked: audited((task) => ({ ...task, status: "awaiting_audit" })),
};

function withAgent(agents: readonly string[], agent: string | undefined): readonly string[] {
  return agent === undefined || agents.includes(agent) ? agents : [...agents, agent];
}

function to(task: TaskState, change: Partial<TaskState>): Step<TaskState> {
  return { next: { ...task, ...change } };
}

/** A violation by an event that does not fit the status of its task. `needed`: the statuses that it fits. */
export function wrongStatus(
  rule: CoordinatorRule,
  { status }: TaskState,
  event: EventContent,
  needed: string,
): Step<never> {
  const task = quote(taskOf(event) ?? "");
  return impossible(
    rule,
    `\`${event.event_type}\` is not possible while task ${task} is ${STATUS[status]}: ${needed}.`,
  );
}

const STATUS: Readonly<Record<TaskStatus, string>> = {
  available: "not dispatched",
  implementing: "being implemented",
  awaiting_review: "awaiting its review",
  in_review: "in review",
  awaiting_audit: "awaiting its audit",
  in_audit: "being audited",
  complete: "complete",
};

/** A developer's report. It may come late, but never before a developer was dispatched. */
function developing(change: (task: TaskState) => TaskState): Transition {
  return (task, event) =>
    task.status === "available"
      ? wrongStatus("READY_WITHOUT_DISPATCH", task, event, "a developer must be at work on it")
      : { next: change(task) };
}

/** A critic's verdict. */
function reviewed(change: (task: TaskState) => TaskState): Transition {
  return (task, event) => {
    if (task.status !== "in_review")
      return wrongStatus("REVIEW_OUT_OF_ORDER", task, event, "a critic must be at work on it");
    return notFromDispatched(event, task.critic) ?? { next: change(task) };
  };
}

/** An auditor's verdict. */
function audited(change: (task: TaskState, at: number) => TaskState): Transition {
  return (task, event, at) => {
    if (task.status !== "in_audit")
      return wrongStatus("COMPLETE_WITHOUT_AUDIT", task, event, "an auditor must be at work on it");
    return notFromDispatched(event, task.auditor) ?? { next: change(task, at) };
  };
}

/** `undefined` if a verdict comes from the agent that was dispatched for it, else the violation. */
export function notFromDispatched(
  event: EventContent,
  agent: string | null,
): Step<never> | undefined {
  if (agent !== null && isFrom(event, agent)) return undefined;
  const names = [...new Set([event.agent_id, event.details["agent_id"] ?? null])].filter(
    (name) => name !== null && name !== agent,
  );
  const from =
    names.length === 0
      ? "nobody"
      : names
          .map((name) => quote(typeof name === "string" ? name : JSON.stringify(name)))
          .join(" and ");
  return impossible(
    "AGENT_MISMATCH",
    agent === null
      ? `\`${event.event_type}\` came from ${from}, but no agent was dispatched for it.`
      : `\`${event.event_type}\` came from ${from}, but ${quote(agent)} was dispatched for it.`,
  );
}
