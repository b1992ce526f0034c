import type { JsonObject, LogEvent } from "@bylaw/kernel";

/** A run: how far its log has grown. */
export interface RunRow {
  readonly id: number;
  readonly head: number;
  readonly link: string;
}

export interface EventRow {
  readonly sequence: number;
  readonly body: string;
  readonly hash: string;
}

export interface DocumentRow {
  readonly version: number;
  readonly value: string | null;
  readonly expires_at: number | null;
}

export interface TaskRow {
  readonly position: number;
  readonly id: string;
  readonly run: string;
  readonly phase: string | null;
  readonly owner: string | null;
  readonly fence: number;
}

/** An event from its stored text: what a commit returns and what is read later are made by the same hand. */
export function eventOf({ sequence, body, hash }: EventRow): LogEvent {
  const { timestamp, session_id, event_type, agent_id, task_id, details } = JSON.parse(body) as Omit<LogEvent, "sequence" | "hash">;
  return Object.freeze({ timestamp, sequence, session_id, event_type, agent_id, task_id, details: freeze(details) as JsonObject, hash });
}

// What comes from JSON.parse is nobody else's: it is frozen where it is.
function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}
