import { canonicalJson, freezeJson, isJsonObject, type EventDraft, type Json, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { checkDraft, checkText } from "./store-input.ts";

/** A draft as it will be read, with the text that the chain is over. Nobody else has a hold on it. */
export interface Body {
  readonly draft: EventDraft;
  /** What `chainedText` makes of the draft. */
  readonly text: string;
}

/** For stores. Throws BYLAW_COMMIT_INVALID and BYLAW_JSON_INVALID for a draft that cannot be kept. */
export function bodyOf(draft: EventDraft): Body {
  checkDraft(draft);
  return bodyOfChecked({ ...draft, details: freezeJson(draft.details) as JsonObject });
}

/** For stores, of an event as `checkCommit` leaves it. Throws BYLAW_COMMIT_INVALID for one that is too large. */
export function bodyOfChecked({ timestamp, session_id, event_type, agent_id, task_id, details: given }: EventDraft): Body {
  const found = { numbers: false };
  const details = inOrder(given, found) as JsonObject;
  // The engine writes keys as they stand in the object, but those that look like numbers first: then it takes the long way.
  const inner = found.numbers ? canonicalJson(details) : JSON.stringify(details);
  const before = `{"agent_id":${JSON.stringify(agent_id)},"details":${inner},"event_type":${JSON.stringify(event_type)}`;
  const after = `,"session_id":${JSON.stringify(session_id)},"task_id":${JSON.stringify(task_id)},"timestamp":${JSON.stringify(timestamp)}}`;
  const text = before + after;
  checkText(text);
  return { draft: { timestamp, session_id, event_type, agent_id, task_id, details }, text };
}

/** The event that a draft becomes with its place in a log. For stores. */
export function numbered({ draft }: Body, sequence: number, hash: string): LogEvent {
  const { timestamp, session_id, event_type, agent_id, task_id, details } = draft;
  return Object.freeze({ timestamp, sequence, session_id, event_type, agent_id, task_id, details, hash });
}

/** A frozen copy with the keys in the order in which they stand in the text, so that a receipt reads like the log. */
function inOrder(value: Json, found: { numbers: boolean }): Json {
  // Text knows no negative zero.
  if (typeof value === "number") return value + 0;
  if (Array.isArray(value)) return Object.freeze((value as readonly Json[]).map((item) => inOrder(item, found)));
  if (!isJsonObject(value)) return value;
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(value).sort()) {
    const first = key.charCodeAt(0);
    if (first >= 48 && first <= 57) found.numbers = true;
    copy[key] = inOrder(value[key] as Json, found);
  }
  return Object.freeze(copy);
}
