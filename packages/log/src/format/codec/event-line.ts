import {
  BylawError,
  canonicalJson,
  freezeJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type LogEvent,
} from "@bylaw/kernel";
import { envelopeProblems, isEvent } from "./envelope.ts";
import { notAnObject, parseLine } from "./parse-line.ts";

/** An event as JSON: its fields in the order of a line, whatever they hold, and nothing else. */
export const eventJson = ({
  timestamp,
  sequence,
  session_id,
  event_type,
  agent_id,
  task_id,
  details,
  hash,
}: LogEvent): string =>
  JSON.stringify({ timestamp, sequence, session_id, event_type, agent_id, task_id, details, hash });

/**
 * Parses one line of a log, without its line break. Throws BYLAW_EVENT_INVALID unless it is exactly one event: the seven fields of spec/003
 * in order, and `hash` if the log is chained.
 */
export function parseEventLine(line: string): LogEvent {
  const parsed = parseLine(line);
  if ("fault" in parsed) throw invalid(notAnObject(parsed.fault));
  return eventOf(parsed.record);
}

/**
 * Formats an event as one line, without a line break. Its details are canonical (RFC 8785). So equal events give equal lines, and the hash
 * can be computed from the line. Throws BYLAW_EVENT_INVALID or BYLAW_JSON_INVALID for an event that `parseEventLine` would refuse.
 */
export function formatEventLine(event: LogEvent): string {
  const { timestamp, sequence, session_id, event_type, agent_id, task_id, hash } = event;
  // Checked separately, because details may be as deep as any JSON, and the event adds one level around them.
  const details = freezeJson(event.details);
  const record = {
    timestamp,
    sequence,
    session_id,
    event_type,
    agent_id,
    task_id,
    details: null,
    ...(hash === undefined ? {} : { hash }),
  };
  return uncheckedLine(eventOf({ ...(freezeJson(record) as JsonObject), details }));
}

/** Formats an event as one line like {@link formatEventLine}, without checking what its fields hold. */
export function uncheckedLine(event: LogEvent): string {
  const { timestamp, sequence, session_id, event_type, agent_id, task_id, details, hash } = event;
  const before = JSON.stringify({ timestamp, sequence, session_id, event_type, agent_id, task_id });
  const text = isSorted(details) ? JSON.stringify(details) : canonicalJson(details);
  const end = hash === undefined ? "" : `,"hash":${JSON.stringify(hash)}`;
  return `${before.slice(0, -1)},"details":${text}${end}}`;
}

// Whether the keys are in canonical order, as in every event that comes from a store.
function isSorted(value: Json): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return (value as readonly Json[]).every(isSorted);
  let before = "";
  for (const [key, item] of Object.entries(value)) {
    if (key < before || !isSorted(item)) return false;
    before = key;
  }
  return true;
}

function eventOf(record: unknown): LogEvent {
  if (isJsonObject(record) && isEvent(record)) return record;
  const [problem] = isJsonObject(record) ? envelopeProblems(record) : [];
  throw invalid(problem?.message ?? "An event must be an object.");
}

const invalid = (message: string): BylawError =>
  new BylawError({
    code: "BYLAW_EVENT_INVALID",
    message,
    fix: "Write the seven fields of an event in their order, once each",
  });
