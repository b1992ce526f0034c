import { canonicalJson, freezeJson, isJsonObject, type EventDraft, type Json, type JsonObject } from "@bylaw/kernel";
import { checkDraft, checkText } from "@bylaw/log";

/** A draft as it will be read, with the text that the chain is over. Nobody else has a hold on it. */
export interface Body {
  readonly draft: EventDraft;
  /** What `chainedText` of @bylaw/log makes of the draft. */
  readonly text: string;
}

/** Throws BYLAW_COMMIT_INVALID and BYLAW_JSON_INVALID for a draft that cannot be kept. */
export function bodyOf(given: EventDraft): Body {
  const { timestamp, session_id, event_type, agent_id, task_id, details: data } = given;
  checkDraft(given);
  const found = { numbers: false };
  const details = inOrder(freezeJson(data), found) as JsonObject;
  // The engine writes keys as they stand in the object, but those that look like numbers first: then it takes the long way.
  const inner = found.numbers ? canonicalJson(details) : JSON.stringify(details);
  const before = `{"agent_id":${JSON.stringify(agent_id)},"details":${inner},"event_type":${JSON.stringify(event_type)}`;
  const after = `,"session_id":${JSON.stringify(session_id)},"task_id":${JSON.stringify(task_id)},"timestamp":${JSON.stringify(timestamp)}}`;
  const text = before + after;
  checkText(text);
  return { draft: { timestamp, session_id, event_type, agent_id, task_id, details }, text };
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
