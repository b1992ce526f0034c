import type { LogEvent } from "@bylaw/kernel";

/** One line of the list of decisions. Everything in it may have been written by an agent. */
export interface Row {
  readonly sequence: number;
  readonly timestamp: string;
  readonly type: string;
  readonly agent: string | null;
  readonly task: string | null;
  readonly tool: string | null;
  /** The phase of the task. `null` if there is none, or it is not known yet. */
  readonly phase: string | null;
  /** What was applied: a host may run a call that no rule covers, and so does a mode that only observes. */
  readonly effect: string | null;
  readonly code: string | null;
  readonly rule: string | null;
  /** What was asked, at most {@link SUMMARY} characters. */
  readonly summary: string;
}

/** Which rows to list. All given fields must match. */
export interface RowFilter {
  readonly effect?: string | undefined;
  readonly rule?: string | undefined;
  readonly agent?: string | undefined;
  readonly tool?: string | undefined;
  readonly phase?: string | undefined;
  readonly code?: string | undefined;
  readonly task?: string | undefined;
  readonly type?: string | undefined;
  /** Whether to list only events that have a decision. */
  readonly decided?: boolean | undefined;
}

/** The fields of a row that a filter compares. */
export const FILTERS = [
  "effect",
  "rule",
  "agent",
  "tool",
  "phase",
  "code",
  "task",
  "type",
] as const;

const SUMMARY = 200;
/** Names are longer only in hostile logs. */
const NAME = 200;
const TEXT = 2_000;

type Fields = Readonly<Record<string, unknown>>;

/** The object at a key, or an empty one. */
export const objectAt = (from: Fields, key: string): Fields => {
  const value = from[key];
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {};
};

/** The text at a key, cut to the length of a name. `null` if it is no text. */
export const nameAt = (from: Fields, key: string): string | null => {
  const value = from[key];
  return typeof value === "string" ? value.slice(0, NAME) : null;
};

/** The text at a key, cut to the length of a paragraph. `null` if it is no text. */
export const textAt = (from: Fields, key: string): string | null => {
  const value = from[key];
  return typeof value === "string" ? value.slice(0, TEXT) : null;
};

/** The effect that was applied. `null` for an event without a decision. */
export function appliedEffect(details: Fields): string | null {
  const decision = objectAt(details, "decision");
  return nameAt(decision, "applied") ?? nameAt(decision, "effect");
}

/** The row of an event. */
export function rowOf(event: LogEvent, phase: string | null): Row {
  const { sequence, timestamp, event_type, agent_id, task_id } = event;
  const details: Fields = event.details;
  const decision = objectAt(details, "decision");
  return {
    sequence,
    timestamp,
    type: event_type.slice(0, NAME),
    agent: agent_id?.slice(0, NAME) ?? nameAt(details, "agent"),
    task: task_id?.slice(0, NAME) ?? null,
    tool: nameAt(details, "tool"),
    phase,
    effect: appliedEffect(details),
    code: nameAt(decision, "code") ?? nameAt(details, "code"),
    rule: nameAt(objectAt(decision, "rule"), "name"),
    summary: transitionText(event) ?? summaryOf(details),
  };
}

/** Whether a filter lets a row through. */
export const matches = (row: Row, filter: RowFilter): boolean =>
  (filter.decided !== true || row.effect !== null) &&
  FILTERS.every((field) => filter[field] === undefined || row[field] === filter[field]);

/** Which task moves where. `undefined` for an event that is about nothing of the kind. */
function transitionText({ event_type, task_id, details }: LogEvent): string | undefined {
  if (event_type !== "phase_entered" && event_type !== "transition_blocked") return undefined;
  const to = nameAt(details, "to");
  if (task_id === null || to === null) return undefined;
  const from = nameAt(details, "from");
  return `${task_id.slice(0, NAME)}: ${from === null ? "" : `${from} `}to ${to}`;
}

/** The first text among the arguments, because it mostly says what the call does, or else the start of the details. */
export function summaryOf(details: Fields): string {
  const args = objectAt(details, "args");
  for (const key of ["command", "path", "file_path", "url", "question"]) {
    const text = args[key];
    if (typeof text === "string") return text.slice(0, SUMMARY);
  }
  const { decision: _, ...rest } = details;
  const shown = Object.keys(args).length > 0 ? args : rest;
  return briefly(shown);
}

/** The start of the JSON of an object. Long values are cut first, because a value may have a megabyte. */
function briefly(value: Fields): string {
  const parts: string[] = [];
  let length = 0;
  for (const [key, one] of Object.entries(value)) {
    const text =
      typeof one === "object" && one !== null
        ? Array.isArray(one)
          ? `[${one.length}]`
          : "{…}"
        : JSON.stringify(typeof one === "string" ? one.slice(0, SUMMARY) : one);
    parts.push(`${key.slice(0, NAME)}: ${text}`);
    length += parts.at(-1)?.length ?? 0;
    if (length > SUMMARY) break;
  }
  return parts.join(", ").slice(0, SUMMARY);
}
