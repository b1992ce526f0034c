import type { EventDraft, EventType, LogEvent } from "./event.ts";
import type { JsonObject } from "./json.ts";
import type { Projection, View } from "./projection.ts";

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

/** What plugins declare besides taps, for whoever keeps the log. */
export interface Declared {
  /** The names of the plugins themselves, each once. */
  readonly plugins: readonly string[];
  readonly events: readonly EventType[];
  readonly projections: readonly Projection<unknown>[];
  readonly guards: readonly { readonly name: string; readonly guard: Guard }[];
  readonly sinks: readonly Sink[];
  readonly redactors: readonly Redactor[];
}
