import type { z } from "zod";
import type { JsonObject } from "./json.ts";

/** One line of a log. The envelope is that of spec/003, in this order. */
export interface LogEvent {
  /** RFC 3339, UTC. */
  readonly timestamp: string;
  /** Gapless within a run, from 1; assigned by the store. */
  readonly sequence: number;
  /** A UUID that changes when the run is resumed. */
  readonly session_id: string;
  readonly event_type: string;
  readonly agent_id: string | null;
  readonly task_id: string | null;
  readonly details: JsonObject;
  /**
   * The link of the chain, `sha256:…`, set by the store: SHA-256 over the link before it (32 zero bytes before the first), the
   * sequence (8 bytes, big end first) and the SHA-256 of the RFC 8785 text of the other six fields. Left out where a log is
   * not chained.
   */
  readonly hash?: string;
}

/** An event that the store has not numbered yet. */
export type EventDraft = Omit<LogEvent, "sequence" | "hash">;

/** The details of one type of event. */
export interface EventType {
  readonly name: string;
  readonly details: z.ZodType;
}
