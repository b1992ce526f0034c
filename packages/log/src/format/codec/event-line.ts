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

/**
 * Reads one line of a log, without its line break. Throws BYLAW_EVENT_INVALID for all that is not exactly one event: the seven
 * fields of spec/003 in their order, and `hash` where the log is chained.
 */
export function parseEventLine(line: string): LogEvent {
  const parsed = parseLine(line);
  if ("fault" in parsed) throw invalid(notAnObject(parsed.fault));
  return eventOf(parsed.record);
}

/**
 * Writes an event as one line, without its line break. Its details are canonical (RFC 8785), so that one event is the same line
 * wherever it comes from, and its link can be computed from the line as it stands. Throws BYLAW_EVENT_INVALID or BYLAW_JSON_INVALID for
 * all that `parseEventLine` would refuse.
 */
export function formatEventLine(event: LogEvent): string {
  const { timestamp, sequence, session_id, event_type, agent_id, task_id, hash } = event;
  // Apart, because details may have as many levels as any data, and the event is one more around them.
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
  const frozen = eventOf({ ...(freezeJson(record) as JsonObject), details });
  const before = JSON.stringify({ timestamp, sequence, session_id, event_type, agent_id, task_id });
  const text = isSorted(frozen.details)
    ? JSON.stringify(frozen.details)
    : canonicalJson(frozen.details);
  return `${before.slice(0, -1)},"details":${text}${hash === undefined ? "" : `,"hash":"${hash}"`}}`;
}

// Whether the keys stand in the order that is canonical, as in an event that was read from a store.
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
