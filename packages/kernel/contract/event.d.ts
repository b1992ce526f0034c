import type { z } from "zod";
import type { JsonObject } from "./json.d.ts";
import type { View } from "./projection.d.ts";

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

/** Why an event is impossible now. */
export interface Finding {
  readonly rule: string;
  readonly message: string;
}

/** Refuses an impossible event before it is appended; asked inside the store's transaction. */
export type Guard = (view: View, event: EventDraft) => Finding | undefined;

/** Takes what must not be on record out of an event, before it is appended; returns the details that are left. */
export type Redactor = (event: EventDraft) => JsonObject;

/** One log, for reading what is on record. */
export interface LogReader {
  readonly run: string;
  /** The session that is going on. */
  readonly session: string;
  /** At most `limit` events with a sequence above `after`, in order. */
  events(after: number, limit: number): Promise<readonly LogEvent[]>;
}

/** Is told of events after their commit. */
export interface Sink {
  readonly name: string;
  /** `true`: awaited before the call that caused the events returns, and its failure denies that call. */
  readonly required?: boolean;
  /** Called once for each run, before anything new is recorded in it. A required sink that throws keeps the run shut. */
  readonly open: (log: LogReader) => SinkWriter | Promise<SinkWriter>;
}

/** A sink at work on one run. */
export interface SinkWriter {
  /**
   * Events of the session in the order of the log, those of other sessions left out. What comes while it is at work is in the next
   * call. Where several processes keep one session each may be told of the others' events, and each is told of its own.
   */
  readonly write: (events: readonly LogEvent[], view: View) => void | Promise<void>;
  readonly close?: () => void | Promise<void>;
}
