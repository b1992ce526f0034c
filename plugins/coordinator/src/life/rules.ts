import type { FindingSeverity } from "@bylaw/log";

/** The order rules of a coordinator's work, by id, with the severity of a finding. */
export const COORDINATOR_RULES = {
  INVALID_FIELD: "error",
  DISPATCH_NOT_AVAILABLE: "error",
  TASK_ALREADY_COMPLETE: "error",
  READY_WITHOUT_DISPATCH: "error",
  REVIEW_OUT_OF_ORDER: "error",
  AUDIT_BEFORE_REVIEW: "error",
  COMPLETE_WITHOUT_AUDIT: "error",
  AGENT_MISMATCH: "error",
  DISPATCH_WHILE_BLOCKED: "error",
  RESTORED_WITHOUT_HEALTH_PASS: "error",
  GUIDANCE_OUT_OF_ORDER: "error",
  UNKNOWN_RUN_ID: "error",
  BA_OUT_OF_ORDER: "error",
  COMPACTION_OUT_OF_ORDER: "error",
  COMPACTION_RELOAD_PARITY: "warning",
  RESTART_NOT_IN_PROGRESS: "error",
  REVERIFICATION_WINDOW: "warning",
  EVENT_AFTER_TERMINAL: "error",
  COMPLETE_COUNT_MISMATCH: "error",
} as const satisfies Readonly<Record<string, FindingSeverity>>;

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
