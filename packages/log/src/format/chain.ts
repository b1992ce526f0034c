import { hash } from "node:crypto";
import { canonicalJson, type EventDraft, type LogEvent } from "@bylaw/kernel";
import { checkText } from "../store/store-input.ts";

/** The link before the first event of a log. */
export const NO_LINK = `sha256:${"0".repeat(64)}`;

/** The text that the chain says is whole: RFC 8785, all of the event but its sequence and its link. */
export function chainedText({
  timestamp,
  session_id,
  event_type,
  agent_id,
  task_id,
  details,
}: EventDraft): string {
  return canonicalJson({ agent_id, details, event_type, session_id, task_id, timestamp });
}

/** The link of an event. `previous`: that of the event before it, or NO_LINK. */
export const linkOf = (previous: string, sequence: number, event: EventDraft): string =>
  linkOfText(previous, sequence, chainedText(event));

// One buffer for all calls: each fills and reads it at once.
const head = Buffer.alloc(72);

/** The link of an event whose chained text is already at hand. */
export function linkOfText(previous: string, sequence: number, text: string): string {
  head.fill(0);
  head.write(previous.slice("sha256:".length), 0, 32, "hex");
  head.writeUInt32BE(Math.floor(sequence / 2 ** 32), 32);
  head.writeUInt32BE(sequence % 2 ** 32, 36);
  head.write(hash("sha256", text, "hex"), 40, 32, "hex");
  return `sha256:${hash("sha256", head, "hex")}`;
}

/** Whether the hash of an event is the link that follows another. */
export function follows(previous: string, event: LogEvent): boolean {
  const { timestamp, sequence, session_id, event_type, agent_id, task_id, details, hash } = event;
  // Stores and writers keep keys sorted, so plain JSON is mostly the text that was hashed, in a third of the time.
  const text = JSON.stringify({ agent_id, details, event_type, session_id, task_id, timestamp });
  if (linkOfText(previous, sequence, text) === hash) return true;
  try {
    return linkOf(previous, sequence, event) === hash;
  } catch {
    // What has no canonical text was never chained.
    return false;
  }
}

/** Numbers and chains events behind the last one of their log. Throws BYLAW_COMMIT_INVALID for one that is too large. */
export function chain(
  last: Pick<LogEvent, "sequence" | "hash"> | undefined,
  drafts: readonly EventDraft[],
): readonly LogEvent[] {
  let { sequence, hash: link = NO_LINK } = last ?? { sequence: 0 };
  return drafts.map((draft): LogEvent => {
    const { timestamp, session_id, event_type, agent_id, task_id, details } = draft;
    sequence += 1;
    const text = chainedText(draft);
    checkText(text);
    link = linkOfText(link, sequence, text);
    return Object.freeze({
      timestamp,
      sequence,
      session_id,
      event_type,
      agent_id,
      task_id,
      details,
      hash: link,
    });
  });
}
