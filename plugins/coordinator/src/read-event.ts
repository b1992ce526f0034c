import { BylawError, isJsonObject, type Json } from "@bylaw/kernel";
import { COORDINATOR_TYPES, type RecordableEvent } from "@bylaw/log";
import { didYouMean, quote } from "@bylaw/wording";

const KEYS = ["event_type", "agent_id", "task_id", "details"];
// Other code records approvals and similar events, and checks who records them.
const TYPES = new Map(COORDINATOR_TYPES.map(({ name, details }) => [name, details] as const));

/**
 * Parses an event of a coordinator, `{event_type, agent_id?, task_id?, details?}`, for `run.record`. The details may leave out agent and
 * task. Throws BYLAW_EVENT_INVALID; the details are checked when the event is recorded.
 */
export function readCoordinatorEvent(value: Json): RecordableEvent {
  if (!isJsonObject(value)) throw invalid("An event is a JSON object with `event_type`");
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    throw invalid(`Unknown key ${quote(unknown)} in an event`, didYouMean(unknown, KEYS));
  const { event_type, agent_id = null, task_id = null, details = {} } = value;
  const schema = typeof event_type === "string" ? TYPES.get(event_type) : undefined;
  if (schema === undefined)
    throw invalid(
      `${quote(String(event_type))} is no event of a coordinator`,
      didYouMean(String(event_type), [...TYPES.keys()]) ??
        "The types are listed in packages/log/README.md",
    );
  if (!isJsonObject(details)) throw invalid("`details` must be a JSON object");
  const given = { event_type, agent_id, task_id, details } as RecordableEvent;
  if (schema.safeParse(details).success) return given;
  const about = {
    ...(agent_id === null ? {} : { agent_id }),
    ...(task_id === null ? {} : { task_id }),
  };
  return { ...given, details: { ...about, ...details } };
}

const invalid = (message: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_EVENT_INVALID", message, fix });
