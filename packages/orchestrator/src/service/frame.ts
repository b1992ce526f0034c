import type { LogEvent } from "@bylaw/kernel";

/** An event as it is sent. */
export interface Frame {
  readonly sequence: number;
  readonly type: string;
  readonly task: string | null;
  readonly agent: string | null;
  /** Of a claim: the number of it, which grows with each claim of the task. */
  readonly fence: number | null;
  /** A message of a stream of server-sent events. */
  readonly text: string;
}

/** A type of event that may stand in a line of its own; a log that was imported can hold any. */
const NAME = /^[\w.@/:-]{1,200}$/;

/** Makes the message of an event, whose id is its sequence. JSON is one line, whatever is in it. */
export function frameOf({ timestamp, sequence, session_id, event_type, agent_id, task_id, details, hash }: LogEvent): Frame {
  const data = JSON.stringify({ timestamp, sequence, session_id, event_type, agent_id, task_id, details, hash });
  const name = NAME.test(event_type) ? `event: ${event_type}\n` : "";
  const fence = typeof details["fence"] === "number" ? details["fence"] : null;
  return { sequence, type: event_type, task: task_id, agent: agent_id, fence, text: `id: ${sequence}\n${name}data: ${data}\n\n` };
}
