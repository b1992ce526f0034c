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
  /** Only where the log is chained. */
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

/** Is told of events after their commit. */
export interface Sink {
  readonly name: string;
  /** `true`: awaited before the call that caused the events returns, and its failure denies that call. */
  readonly required?: boolean;
  readonly write: (events: readonly LogEvent[], view: View) => void | Promise<void>;
  readonly close?: () => void | Promise<void>;
}
