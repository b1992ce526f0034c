/** How bad a finding is. An event with an error is impossible, one with a warning is only odd. */
export type FindingSeverity = "error" | "warning";

/** What a log is held against: its form and numbering, or also the life cycle of a coordinator's tasks. */
export const LOG_PROFILES = ["envelope", "coordinator"] as const;
export type LogProfile = (typeof LOG_PROFILES)[number];

/** One rule of order. */
export interface LogRule {
  readonly severity: FindingSeverity;
  /** The first profile that has it; `coordinator` has those of `envelope` too. */
  readonly profile: LogProfile;
}

const rule = (severity: FindingSeverity, profile: LogProfile): LogRule => ({ severity, profile });

/** Every rule that a log is held against, by its id. */
export const LOG_RULES = {
  INVALID_JSON: rule("error", "envelope"),
  TORN_LAST_LINE: rule("warning", "envelope"),
  TORN_LINE: rule("warning", "envelope"),
  MISSING_FIELD: rule("error", "envelope"),
  INVALID_FIELD: rule("error", "envelope"),
  UNKNOWN_FIELD: rule("warning", "envelope"),
  FIELD_ORDER: rule("warning", "envelope"),
  // An error where the catalogue is strict.
  UNKNOWN_EVENT_TYPE: rule("warning", "envelope"),
  INVALID_DETAILS: rule("error", "envelope"),
  FIRST_EVENT_NOT_SESSION: rule("error", "envelope"),
  UNEXPECTED_SESSION_START: rule("error", "envelope"),
  SEQUENCE_NOT_INCREASING: rule("error", "envelope"),
  SEQUENCE_GAP: rule("warning", "envelope"),
  TIMESTAMP_BACKWARDS: rule("warning", "envelope"),
  SESSION_ID_CHANGED: rule("error", "envelope"),
  PREVIOUS_SESSION_MISMATCH: rule("error", "envelope"),
  HASH_MISMATCH: rule("error", "envelope"),
  HASH_MISSING: rule("error", "envelope"),
  ANCHOR_MISMATCH: rule("error", "envelope"),
  DISPATCH_NOT_AVAILABLE: rule("error", "coordinator"),
  TASK_ALREADY_COMPLETE: rule("error", "coordinator"),
  READY_WITHOUT_DISPATCH: rule("error", "coordinator"),
  REVIEW_OUT_OF_ORDER: rule("error", "coordinator"),
  AUDIT_BEFORE_REVIEW: rule("error", "coordinator"),
  COMPLETE_WITHOUT_AUDIT: rule("error", "coordinator"),
  AGENT_MISMATCH: rule("error", "coordinator"),
  DISPATCH_WHILE_BLOCKED: rule("error", "coordinator"),
  RESTORED_WITHOUT_HEALTH_PASS: rule("error", "coordinator"),
  GUIDANCE_OUT_OF_ORDER: rule("error", "coordinator"),
  UNKNOWN_RUN_ID: rule("error", "coordinator"),
  BA_OUT_OF_ORDER: rule("error", "coordinator"),
  COMPACTION_OUT_OF_ORDER: rule("error", "coordinator"),
  COMPACTION_RELOAD_PARITY: rule("warning", "coordinator"),
  RESTART_NOT_IN_PROGRESS: rule("error", "coordinator"),
  REVERIFICATION_WINDOW: rule("warning", "coordinator"),
  EVENT_AFTER_TERMINAL: rule("error", "coordinator"),
  COMPLETE_COUNT_MISMATCH: rule("error", "coordinator"),
} as const satisfies Readonly<Record<string, LogRule>>;

/** The id of a rule. */
export type LogRuleId = keyof typeof LOG_RULES;

/** A rule that an event breaks, and how. */
export interface Broken {
  readonly rule: LogRuleId;
  readonly message: string;
}

/** What an event makes of a state: the next one, perhaps with something odd, or nothing where it is impossible. */
export type Step<State> = { readonly next: State; readonly broken?: Broken } | { readonly next?: never; readonly broken: Broken };

/** The event is impossible. */
export const impossible = (rule: LogRuleId, message: string): { readonly broken: Broken } => ({ broken: { rule, message } });
