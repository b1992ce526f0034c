import type { RuleSpec } from "@bylaw/log";

const error = (says: string): RuleSpec => ({ severity: "error", says });
const warning = (says: string): RuleSpec => ({ severity: "warning", says });

/** The order rules of a coordinator's work, by id. */
export const COORDINATOR_RULES = {
  INVALID_FIELD: error(
    "A field has a value that it cannot have. Under `coordinator` also: no task or agent where one is needed, or two different tasks.",
  ),
  DISPATCH_NOT_AVAILABLE: error(
    "A developer for a task that is neither available nor sent back, and not `resumed`.",
  ),
  TASK_ALREADY_COMPLETE: error("Anything more about a complete task."),
  READY_WITHOUT_DISPATCH: error("A developer's word about a task that none works on."),
  REVIEW_OUT_OF_ORDER: error(
    "A critic before the developer is ready, a verdict without a critic, or a second critic at once.",
  ),
  AUDIT_BEFORE_REVIEW: error(
    "An auditor before a `critic_pass` or three `critic_timeout`, or a task audited again that never was complete.",
  ),
  COMPLETE_WITHOUT_AUDIT: error("An auditor's verdict without an auditor at work."),
  AGENT_MISMATCH: error("A verdict that is not from the agent dispatched for it."),
  DISPATCH_WHILE_BLOCKED: error(
    "A developer, critic or auditor while the infrastructure is blocked.",
  ),
  RESTORED_WITHOUT_HEALTH_PASS: error(
    "The infrastructure restored without a health audit that passed since.",
  ),
  GUIDANCE_OUT_OF_ORDER: error(
    "A question out of the order seeks, prays, response, resumes, for each agent and task.",
  ),
  UNKNOWN_RUN_ID: error("An expert's result without a delegation that is open."),
  BA_OUT_OF_ORDER: error("A business analyst's result without an analyst."),
  COMPACTION_OUT_OF_ORDER: error("The end of a compaction that was not begun."),
  COMPACTION_RELOAD_PARITY: warning("A full reload at an odd compaction, or none at an even one."),
  RESTART_NOT_IN_PROGRESS: error("A restart of a task that is complete or was not begun."),
  REVERIFICATION_WINDOW: warning(
    "A task audited again that was complete more than 60 minutes before the break.",
  ),
  EVENT_AFTER_TERMINAL: error("Anything behind `workflow_complete` or `workflow_failed`."),
  COMPLETE_COUNT_MISMATCH: error(
    "A `workflow_complete` with more or fewer complete tasks than the plan has.",
  ),
} satisfies Readonly<Record<string, RuleSpec>>;

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
