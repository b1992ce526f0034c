import type { LogEvent } from "@bylaw/kernel";

/** How bad a finding is: an event with an error is impossible, one with a warning is only unusual. */
export type FindingSeverity = "error" | "warning";

/** The rules of form, numbering, sessions and chain that every log is checked against, by id, with the severity of a finding. */
export const LOG_RULES = {
  INVALID_JSON: "error",
  TORN_LAST_LINE: "warning",
  TORN_LINE: "warning",
  MISSING_FIELD: "error",
  INVALID_FIELD: "error",
  UNKNOWN_FIELD: "warning",
  FIELD_ORDER: "warning",
  // An error where the catalogue is strict.
  UNKNOWN_EVENT_TYPE: "warning",
  INVALID_DETAILS: "error",
  FIRST_EVENT_NOT_SESSION: "error",
  UNEXPECTED_SESSION_START: "error",
  SEQUENCE_NOT_INCREASING: "error",
  SEQUENCE_GAP: "warning",
  TIMESTAMP_BACKWARDS: "warning",
  SESSION_ID_CHANGED: "error",
  PREVIOUS_SESSION_MISMATCH: "error",
  HASH_MISMATCH: "error",
  HASH_MISSING: "error",
  ANCHOR_MISMATCH: "error",
} as const satisfies Readonly<Record<string, FindingSeverity>>;

/** The id of a rule of every log. */
export type LogRuleId = keyof typeof LOG_RULES;

/** A rule that a line breaks, and how. */
export interface Violation {
  readonly rule: LogRuleId;
  readonly message: string;
}

/** The part of an event that order rules judge. */
export type EventContent = Pick<LogEvent, "event_type" | "agent_id" | "task_id" | "details">;

/** More order rules, such as those of a plugin. An object keeps the state of one log. */
export interface OrderRules {
  /** The rule that the next event breaks, at most one. `time`: of the event, in milliseconds since 1970. */
  next(event: EventContent, time: number | undefined): OrderFinding | undefined;
}

/** A rule that an event breaks. */
export interface OrderFinding {
  readonly rule: string;
  readonly severity: FindingSeverity;
  readonly message: string;
}
