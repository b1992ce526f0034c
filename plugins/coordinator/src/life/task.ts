import { quote } from "@bylaw/wording";
import { agentOf, isFrom, taskOf, type EventContent } from "./event-content.ts";
import { impossible, type CoordinatorRule, type Step } from "./rules.ts";

/** Where a task stands. */
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
  /** Whether the developer or the critic at work may be followed by another. */
  readonly again: boolean;
  readonly critic: string | null;
  readonly auditor: string | null;
  /** Everyone who was dispatched as its developer. */
  readonly developers: readonly string[];
  /** How often a critic ran out of time in this review. */
  readonly timeouts: number;
  /** When it was completed last, in milliseconds since 1970; of a task that is audited again too. */
  readonly completed_at: number | null;
  /** It was complete, and is audited again. */
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

/** After this many critic time-outs a task is audited without a review. */
const CRITIC_TIMEOUTS = 3;

type Transition = (task: TaskState, event: EventContent, at: number) => Step<TaskState>;

/** The task after each event, by spec/003's coordinator; docs/event-log-types.md draws it. Pure. */
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
    // No event says that an auditor timed out. All the log shows is that the next one is dispatched.
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

/** The event does not fit the status of its task. `needed`: what it would fit. */
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

/** A developer's report. It may come late, but not before a developer was dispatched. */
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

/** `undefined` where a verdict comes from the agent that was dispatched for it, else what is wrong. */
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
