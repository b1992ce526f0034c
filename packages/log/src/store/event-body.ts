import type { EventDraft, Json, JsonObject } from "@bylaw/kernel";
import { digestedText } from "../format/chain.ts";
import { checkText, checkedDraft } from "./store-input.ts";

/** A draft as it will be read, with its chained text. No other code holds a reference to it. */
export interface EventBody {
  readonly draft: EventDraft;
  /** The result of `chainedText` for the draft. */
  readonly text: string;
}

/**
 * Checks a draft and converts it to a body. Throws BYLAW_COMMIT_INVALID and BYLAW_JSON_INVALID for a draft that cannot be stored. For
 * stores.
 */
export function eventBody(draft: EventDraft): EventBody {
  return checkedEventBody(checkedDraft(draft));
}

/** Converts an event of a commit that `checkCommit` returned. Throws BYLAW_COMMIT_INVALID if it is too large. For stores. */
export function checkedEventBody({
  timestamp,
  session_id,
  event_type,
  agent_id,
  task_id,
  details: given,
}: EventDraft): EventBody {
  const found = { numbers: false };
  const details = inOrder(given, found) as JsonObject;
  const draft = { timestamp, session_id, event_type, agent_id, task_id, details };
  // JSON.stringify keeps the order of keys, except that it puts number-like ones first. Those need the slower form.
  const text = found.numbers
    ? digestedText(draft)
    : JSON.stringify({ agent_id, details, event_type, session_id, task_id, timestamp });
  checkText(text);
  return { draft, text };
}

/**
 * Returns frozen data whose keys are in the order of the text, so that a receipt equals the log. Returns the value itself if they already
 * are.
 */
function inOrder(value: Json, found: { numbers: boolean }): Json {
  // JSON text has no negative zero.
  if (typeof value === "number") return value + 0;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    let same = true;
    const items = (value as readonly Json[]).map((item) => {
      const ordered = inOrder(item, found);
      same &&= Object.is(ordered, item);
      return ordered;
    });
    return same ? value : Object.freeze(items);
  }
  const given = value as JsonObject;
  const keys = Object.keys(given);
  // Most objects are in order all the way down. A copy is made only from the first difference on.
  let copy: Record<string, Json> | undefined = sort(keys) ? {} : undefined;
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as string;
    const first = key.charCodeAt(0);
    if (first >= 48 && first <= 57) found.numbers = true;
    const item = given[key] as Json;
    const ordered = inOrder(item, found);
    if (copy === undefined && !Object.is(ordered, item)) {
      copy = {};
      for (const before of keys.slice(0, at)) copy[before] = given[before] as Json;
    }
    if (copy !== undefined) copy[key] = ordered;
  }
  return copy === undefined ? value : Object.freeze(copy);
}

/** Below this number of keys, most of which are in order, the built-in sort takes four times as long. */
const FEW = 12;

/** Sorts by UTF-16 code unit, in place. Returns whether anything was out of order. */
function sort(keys: string[]): boolean {
  let moved = false;
  for (let at = 1; at < keys.length; at += 1) {
    const key = keys[at] as string;
    let to = at;
    while (to > 0 && (keys[to - 1] as string) > key) {
      if (keys.length > FEW) {
        keys.sort();
        return true;
      }
      keys[to] = keys[to - 1] as string;
      to -= 1;
    }
    keys[to] = key;
    moved ||= to !== at;
  }
  return moved;
}
