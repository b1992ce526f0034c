import type { z } from "zod";
import type { JsonObject } from "./json.ts";

/** One line of a log. The fields of the envelope are those of spec/003, in this order. */
export interface LogEvent {
  /** In RFC 3339 format, UTC. */
  readonly timestamp: string;
  /** Without gaps within a run, from 1. Assigned by the store. */
  readonly sequence: number;
  /** A UUID that changes when the run is resumed. */
  readonly session_id: string;
  readonly event_type: string;
  readonly agent_id: string | null;
  readonly task_id: string | null;
  readonly details: JsonObject;
  /**
   * The link of the hash chain, `sha256:…`, set by the store: SHA-256 over the previous link (32 zero bytes for the first event),
   * the sequence (8 bytes, big-endian) and the SHA-256 of the RFC 8785 text of the other six fields. Absent if the log is not
   * chained.
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
