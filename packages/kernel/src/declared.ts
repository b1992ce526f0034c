import type { EventDraft, EventType, LogEvent } from "./event.ts";
import type { JsonObject } from "./json.ts";
import type { Projection, View } from "./projection.ts";

/** Why an event is impossible in the current state. */
export interface Finding {
  readonly rule: string;
  readonly message: string;
}

/** Rejects an impossible event before it is appended. Called inside the store's transaction. */
export type Guard = (view: View, event: EventDraft) => Finding | undefined;

/** Removes data that must not be recorded from an event before it is appended. Returns the remaining details. */
export type Redactor = (event: EventDraft) => JsonObject;

/** Reads the events of one log. */
export interface LogReader {
  readonly run: string;
  /** The id of the current session. */
  readonly session: string;
  /** Returns at most `limit` events with a sequence above `after`, in order. */
  events(after: number, limit: number): Promise<readonly LogEvent[]>;
}

/** Receives events after their commit. */
export interface Sink {
  readonly name: string;
  /** Whether to await the sink before the call that caused the events returns. If the sink fails, that call is denied. */
  readonly required?: boolean;
  /** Called once for each run, before anything new is recorded in it. A required sink that throws prevents the run from opening. */
  readonly open: (log: LogReader) => SinkWriter | Promise<SinkWriter>;
}

/** An open sink of one run. */
export interface SinkWriter {
  /**
   * Receives the events of the session in the order of the log, without those of other sessions. Events that arrive during a call
   * are in the next call. If several processes keep one session, each receives its own events, and may also receive those of the
   * others.
   */
  readonly write: (events: readonly LogEvent[], view: View) => void | Promise<void>;
  readonly close?: () => void | Promise<void>;
}

/** Everything but taps that plugins declare, for the keeper of the log. */
export interface Declared {
  /** The names of the plugins, without duplicates. */
  readonly plugins: readonly string[];
  readonly events: readonly EventType[];
  readonly projections: readonly Projection<unknown>[];
  readonly guards: readonly { readonly name: string; readonly guard: Guard }[];
  readonly sinks: readonly Sink[];
  readonly redactors: readonly Redactor[];
}
