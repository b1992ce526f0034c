import type { LogEvent } from "@bylaw/kernel";

/** The severity of a finding. `error`: the event is impossible. `warning`: it is only unusual. */
export type FindingSeverity = "error" | "warning";

/** A rule of a log: the severity of its findings, and what they say. */
export interface RuleSpec {
  readonly severity: FindingSeverity;
  readonly says: string;
}

const error = (says: string): RuleSpec => ({ severity: "error", says });
const warning = (says: string): RuleSpec => ({ severity: "warning", says });

/** The rules of form, sequence, sessions and chain for every log, by id. */
export const LOG_RULES = {
  INVALID_JSON: error("A line is not one JSON object."),
  TORN_LAST_LINE: warning(
    "The last line has no line break. Cut off, it is no part of the log; whole, it is.",
  ),
  TORN_LINE: warning(
    "A line of a chained log was cut off, as a killed writer leaves it. It is no part of the log; were it, the next line would have a `HASH_MISMATCH`.",
  ),
  MISSING_FIELD: error("A field of the envelope is missing."),
  INVALID_FIELD: error(
    "A field has a value that it cannot have. Under `coordinator` also: no task or agent where one is needed, or two different tasks.",
  ),
  UNKNOWN_FIELD: warning("A field stands beside those of the envelope."),
  FIELD_ORDER: warning("The fields stand in another order."),
  // An error if the catalogue is strict.
  UNKNOWN_EVENT_TYPE: warning(
    "The type is not in the catalogue. An error with `--catalogue strict`.",
  ),
  INVALID_DETAILS: error("With `--catalogue strict`: the details are not those of the type."),
  FIRST_EVENT_NOT_SESSION: error(
    "The log does not begin with `session_start` or `session_resumed`.",
  ),
  UNEXPECTED_SESSION_START: error("A `session_start` that is not the beginning."),
  SEQUENCE_NOT_INCREASING: error("A number that is not above the one before it."),
  SEQUENCE_GAP: warning("Numbers are missing. Each line that cannot be read accounts for one."),
  TIMESTAMP_BACKWARDS: warning("A time before that of the event before it."),
  SESSION_ID_CHANGED: error("Another session without a `session_resumed`."),
  PREVIOUS_SESSION_MISMATCH: error("A resume of a session that is not the one before it."),
  HASH_MISMATCH: error(
    "The hash does not follow from the line and the one before it, or it does not cover a field.",
  ),
  HASH_MISSING: error("An event without a hash in a log that has them."),
  ANCHOR_MISMATCH: error(
    "The anchor of a rotated file has another number or link than the last event before it.",
  ),
} satisfies Readonly<Record<string, RuleSpec>>;

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
