import { hash } from "node:crypto";
import { canonicalJson, type EventDraft, type LogEvent } from "@bylaw/kernel";
import { checkText } from "../store/store-input.ts";

/** The link before the first event of a log. */
export const NO_LINK = `sha256:${"0".repeat(64)}`;

/** The text that the hash chain covers: the RFC 8785 form of the event without its sequence and its hash. */
export function digestedText({
  timestamp,
  session_id,
  event_type,
  agent_id,
  task_id,
  details,
}: EventDraft): string {
  return canonicalJson({ agent_id, details, event_type, session_id, task_id, timestamp });
}

/** The link of an event. `previous`: the link of the event before it, or NO_LINK. */
export const linkOf = (previous: string, sequence: number, event: EventDraft): string =>
  linkOfText(previous, sequence, digestedText(event));

// One buffer for all calls, because each call fills and reads it synchronously.
const head = Buffer.alloc(72);

/** The link of an event whose chained text is already known. */
export function linkOfText(previous: string, sequence: number, text: string): string {
  head.fill(0);
  head.write(previous.slice("sha256:".length), 0, 32, "hex");
  head.writeUInt32BE(Math.floor(sequence / 2 ** 32), 32);
  head.writeUInt32BE(sequence % 2 ** 32, 36);
  head.write(hash("sha256", text, "hex"), 40, 32, "hex");
  return `sha256:${hash("sha256", head, "hex")}`;
}

/** Whether the hash of an event is the link that follows `previous`. */
export function follows(previous: string, event: LogEvent): boolean {
  const { timestamp, sequence, session_id, event_type, agent_id, task_id, details, hash } = event;
  // Stores and writers keep keys sorted, so plain JSON is usually the text that was hashed, and is three times as fast.
  const text = JSON.stringify({ agent_id, details, event_type, session_id, task_id, timestamp });
  if (linkOfText(previous, sequence, text) === hash) return true;
  try {
    return linkOf(previous, sequence, event) === hash;
  } catch {
    // An event without a canonical text was never chained.
    return false;
  }
}

/** Numbers and chains events after the last one of their log. Throws BYLAW_COMMIT_INVALID for an event that is too large. */
export function chainEvents(
  last: Pick<LogEvent, "sequence" | "hash"> | undefined,
  drafts: readonly EventDraft[],
): readonly LogEvent[] {
  let { sequence, hash: link = NO_LINK } = last ?? { sequence: 0 };
  return drafts.map((draft): LogEvent => {
    sequence += 1;
    const text = digestedText(draft);
    checkText(text);
    link = linkOfText(link, sequence, text);
    return placeEvent(draft, sequence, link);
  });
}

/** Makes the event of a draft at its place in a log, with its fields in the order of a line. For stores. */
export function placeEvent(draft: EventDraft, sequence: number, hash: string): LogEvent {
  const { timestamp, session_id, event_type, agent_id, task_id, details } = draft;
  return Object.freeze({
    timestamp,
    sequence,
    session_id,
    event_type,
    agent_id,
    task_id,
    details,
    hash,
  });
}
