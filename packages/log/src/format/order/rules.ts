import type { LogEvent } from "@bylaw/kernel";

/** The severity of a finding. `error`: the event is impossible. `warning`: it is only unusual. */
export type FindingSeverity = "error" | "warning";

/** The rules of form, sequence, sessions and chain for every log, by id, with the severity of their findings. */
export const LOG_RULES = {
  INVALID_JSON: "error",
  TORN_LAST_LINE: "warning",
  TORN_LINE: "warning",
  MISSING_FIELD: "error",
  INVALID_FIELD: "error",
  UNKNOWN_FIELD: "warning",
  FIELD_ORDER: "warning",
  // An error if the catalogue is strict.
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

/** The id of a rule that applies to every log. */
export type LogRuleId = keyof typeof LOG_RULES;

/** A rule that a line breaks, with a message. */
export interface Violation {
  readonly rule: LogRuleId;
  readonly message: string;
}

/** The part of an event that order rules check. */
export type EventContent = Pick<LogEvent, "event_type" | "agent_id" | "task_id" | "details">;

/** Additional order rules, such as those of a plugin. One object holds the state of one log. */
export interface OrderRules {
  /** Returns the rule that the next event breaks, if any. `time`: the time of the event in milliseconds since 1970. */
  next(event: EventContent, time: number | undefined): OrderFinding | undefined;
}

/** A rule that an event breaks. */
export interface OrderFinding {
  readonly rule: string;
  readonly severity: FindingSeverity;
  readonly message: string;
}
