import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type LogEvent,
} from "@bylaw/kernel";
import { uncheckedLine } from "@bylaw/log";
import { linesBackwards, type FileLine } from "./lines-backwards.ts";

/** The event on the last complete line of a file: how far the file has come. */
export interface Mark {
  readonly sequence: number;
  readonly hash: string | undefined;
  readonly event: JsonObject;
}

export interface Tail {
  readonly size: number;
  /** `undefined`: no line of the file holds an event. */
  readonly mark: Mark | undefined;
  /** The text after the last line break, if any. */
  readonly open: FileLine | undefined;
}

const ANCHOR = "log_anchor";

/** Reads the end of a file, past any lines without an event. */
export function readTail(fd: number, size: number): Tail {
  let open: FileLine | undefined;
  for (const line of linesBackwards(fd, size)) {
    if (!line.terminated) open = line;
    const mark = markOf(line.text);
    if (mark !== undefined) return { size, mark, open };
  }
  return { size, mark: undefined, open };
}

/** The event on a line. Lenient, because the event is compared with the store. */
export function markOf(text: string | undefined): Mark | undefined {
  if (text === undefined) return undefined;
  let event: Json;
  try {
    event = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  if (!isJsonObject(event)) return undefined;
  const { sequence, hash, event_type } = event;
  if (!Number.isSafeInteger(sequence) || (sequence as number) < 1 || typeof event_type !== "string")
    return undefined;
  return { sequence: sequence as number, hash: typeof hash === "string" ? hash : undefined, event };
}

export const markAt = (event: LogEvent): Mark => ({
  sequence: event.sequence,
  hash: event.hash,
  event: event as unknown as JsonObject,
});

/** Whether a file's last event is the store's event of the same sequence. An anchor has only its hash. */
export function isSame({ hash, event }: Mark, stored: LogEvent): boolean {
  if (event["event_type"] === ANCHOR && stored.event_type !== ANCHOR) return hash === stored.hash;
  return canonicalJson(event) === canonicalJson(JSON.parse(uncheckedLine(stored)) as Json);
}

/** The first line of a file that continues another one. `previous_file`: the name of that file. */
export function anchorLine({ sequence, hash, event }: Mark, previous_file: string): string {
  const { timestamp, session_id } = event as unknown as LogEvent;
  const details = { previous_file };
  return `${JSON.stringify({ timestamp, sequence, session_id, event_type: ANCHOR, agent_id: null, task_id: null, details, hash })}\n`;
}
