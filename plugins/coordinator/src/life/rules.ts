import type { RuleSpec } from "@bylaw/log";

/** The order rules of a coordinator's work, by id. */
export const COORDINATOR_RULES = {
  INVALID_FIELD: {
    severity: "error",
    says: "A field has a value that it cannot have. Under `coordinator` also: no task or agent where one is needed, or two different tasks.",
  },
  DISPATCH_NOT_AVAILABLE: {
    severity: "error",
    says: "A developer for a task that is neither available nor sent back, and not `resumed`.",
  },
  TASK_ALREADY_COMPLETE: { severity: "error", says: "Anything more about a complete task." },
  READY_WITHOUT_DISPATCH: {
    severity: "error",
    says: "A developer's word about a task that none works on.",
  },
  REVIEW_OUT_OF_ORDER: {
    severity: "error",
    says: "A critic before the developer is ready, a verdict without a critic, or a second critic at once.",
  },
  AUDIT_BEFORE_REVIEW: {
    severity: "error",
    says: "An auditor before a `critic_pass` or three `critic_timeout`, or a task audited again that never was complete.",
  },
  COMPLETE_WITHOUT_AUDIT: {
    severity: "error",
    says: "An auditor's verdict without an auditor at work.",
  },
  AGENT_MISMATCH: {
    severity: "error",
    says: "A verdict that is not from the agent dispatched for it.",
  },
  DISPATCH_WHILE_BLOCKED: {
    severity: "error",
    says: "A developer, critic or auditor while the infrastructure is blocked.",
  },
  RESTORED_WITHOUT_HEALTH_PASS: {
    severity: "error",
    says: "The infrastructure restored without a health audit that passed since.",
  },
  GUIDANCE_OUT_OF_ORDER: {
    severity: "error",
    says: "A question out of the order seeks, prays, response, resumes, for each agent and task.",
  },
  UNKNOWN_RUN_ID: {
    severity: "error",
    says: "An expert's result without a delegation that is open.",
  },
  BA_OUT_OF_ORDER: { severity: "error", says: "A business analyst's result without an analyst." },
  COMPACTION_OUT_OF_ORDER: {
    severity: "error",
    says: "The end of a compaction that was not begun.",
  },
  COMPACTION_RELOAD_PARITY: {
    severity: "warning",
    says: "A full reload at an odd compaction, or none at an even one.",
  },
  RESTART_NOT_IN_PROGRESS: {
    severity: "error",
    says: "A restart of a task that is complete or was not begun.",
  },
  REVERIFICATION_WINDOW: {
    severity: "warning",
    says: "A task audited again that was complete more than 60 minutes before the break.",
  },
  EVENT_AFTER_TERMINAL: {
    severity: "error",
    says: "Anything behind `workflow_complete` or `workflow_failed`.",
  },
  COMPLETE_COUNT_MISMATCH: {
    severity: "error",
    says: "A `workflow_complete` with more or fewer complete tasks than the plan has.",
  },
} as const satisfies Readonly<Record<string, RuleSpec>>;

/** The id of an order rule. */
export type CoordinatorRule = keyof typeof COORDINATOR_RULES;

/** A rule that an event breaks, and how. */
export interface Violation {
  readonly rule: CoordinatorRule;
  readonly message: string;
}

/** The state after an event, perhaps with a warning, or only the rule that makes the event impossible. */
export type Step<State> =
  | { readonly next: State; readonly broken?: Violation }
  | { readonly next?: never; readonly broken: Violation };

export const impossible = (
  rule: CoordinatorRule,
  message: string,
): { readonly broken: Violation } => ({ broken: { rule, message } });
