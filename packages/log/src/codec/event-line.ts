import { BylawError, freezeJson, isJsonObject, type LogEvent } from "@bylaw/kernel";
import { envelopeProblems, isEvent } from "./envelope.ts";
import { parseLine } from "./parse-line.ts";

/**
 * Reads one line of a log, without its line break. Throws BYLAW_EVENT_INVALID for all that is not exactly one event: the seven
 * fields of spec/003 in their order, and `hash` where the log is chained.
 */
export function parseEventLine(line: string): LogEvent {
  const parsed = parseLine(line);
  if ("fault" in parsed) throw invalid(`Unexpected ${parsed.fault}, expected one JSON object on the line`);
  return eventOf(parsed.record);
}

/** Writes an event as one line, without its line break. Throws BYLAW_EVENT_INVALID or BYLAW_JSON_INVALID for all that `parseEventLine` would refuse. */
export function formatEventLine(event: LogEvent): string {
  const { timestamp, sequence, session_id, event_type, agent_id, task_id, details, hash } = event;
  const record = { timestamp, sequence, session_id, event_type, agent_id, task_id, details, ...(hash === undefined ? {} : { hash }) };
  return JSON.stringify(eventOf(freezeJson(record)));
}

function eventOf(record: unknown): LogEvent {
  if (isJsonObject(record) && isEvent(record)) return record;
  const [problem] = isJsonObject(record) ? envelopeProblems(record) : [];
  throw invalid(problem?.message ?? "Unexpected value, expected an event");
}

const invalid = (message: string): BylawError =>
  new BylawError({ code: "BYLAW_EVENT_INVALID", message, fix: "write the seven fields of an event in their order, once each" });
