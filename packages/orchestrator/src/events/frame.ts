import type { LogEvent } from "@bylaw/kernel";

/** An event, ready to be sent. */
export interface Frame {
  readonly sequence: number;
  readonly type: string;
  readonly task: string | null;
  readonly agent: string | null;
  /** Of a claim: the number of it, which grows with each claim of the task. */
  readonly fence: number | null;
  /** The name of its server-sent event; empty where the type cannot stand in one line. */
  readonly event: string;
  /** All of it, as JSON. */
  readonly data: string;
}

/** A type that can stand in one line; an imported log can hold any. */
const NAME = /^[\w.@/:-]{1,200}$/;

/** What is sent of an event. */
export function frameOf({
  timestamp,
  sequence,
  session_id,
  event_type,
  agent_id,
  task_id,
  details,
  hash,
}: LogEvent): Frame {
  const data = JSON.stringify({
    timestamp,
    sequence,
    session_id,
    event_type,
    agent_id,
    task_id,
    details,
    hash,
  });
  const fence = typeof details["fence"] === "number" ? details["fence"] : null;
  return {
    sequence,
    type: event_type,
    task: task_id,
    agent: agent_id,
    fence,
    event: NAME.test(event_type) ? event_type : "",
    data,
  };
}
