import { freezeJson, isJsonObject, type EventDraft, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { chainedText, checkDraft, checkText } from "@bylaw/log";
import type { Query } from "./database.ts";
import { keyOf } from "./names.ts";

/** A row of the table of events. */
export interface EventRow {
  readonly sequence: number;
  readonly text: string;
  /** Hexadecimal. */
  readonly link: string;
}

/** The text of a draft that is kept and chained. Throws BYLAW_COMMIT_INVALID or BYLAW_JSON_INVALID for what is no event. */
export function textOf(draft: EventDraft): string {
  checkDraft(draft);
  const text = chainedText({ ...draft, details: freezeJson(draft.details) as JsonObject });
  checkText(text);
  return text;
}

/** The event of a row. Receipts, pages and what `admit` sees all come from it, so that they say the same in the same words. */
export function eventOf({ sequence, text, link }: EventRow): LogEvent {
  const { timestamp, session_id, event_type, agent_id, task_id, details } = JSON.parse(text) as EventDraft;
  freeze(details);
  return Object.freeze({ timestamp, sequence, session_id, event_type, agent_id, task_id, details, hash: `sha256:${link}` });
}

// What JSON.parse has just made has no cycle and no getter, so it is frozen where it stands.
function freeze(value: unknown): void {
  if (!Array.isArray(value) && !isJsonObject(value)) return;
  for (const item of Object.values(value)) freeze(item);
  Object.freeze(value);
}

const MOST = 2 ** 31 - 1;

/** At most `limit` events of a run after a sequence, in order. */
export async function readEvents(query: Query, run: string, after: number, limit: number): Promise<readonly LogEvent[]> {
  if (!(limit > 0)) return [];
  const rows = await query<EventRow>(
    "select sequence, text, encode(link, 'hex') as link from {schema}.events where run = $1 and sequence > $2 order by sequence limit $3",
    [keyOf(run), Math.max(0, Math.trunc(after) || 0), Math.min(Math.trunc(limit), MOST)],
  );
  return rows.map(eventOf);
}
