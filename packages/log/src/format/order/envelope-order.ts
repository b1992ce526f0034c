import type { Json, JsonObject } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { fieldFits } from "../codec/envelope.ts";
import type { Violation } from "./rules.ts";

/** Checks each line against the one before it: numbering, time and session. */
export interface EnvelopeOrder {
  /** The number of the last line that had one; 0 at the start. */
  readonly sequence: number;
  /** A record. `whole`: it has every field, and all are valid. */
  next(record: JsonObject, whole: boolean): readonly Violation[];
  /** A line without an event that carries the number over from another file. */
  anchor(sequence: number): Violation | undefined;
  /** A line that cannot be read, which may have held an event. */
  unread(): void;
}

/** Reports each break of order where it happens. The lines after it are checked against the new line, not the old one. */
export function createEnvelopeOrder(): EnvelopeOrder {
  let sequence = 0;
  let unread = 0;
  let timestamp: string | undefined;
  let session: string | undefined;
  let started = false;
  // Whether there was a line before, readable or not.
  let begun = false;

  function number(value: number): Violation | undefined {
    const expected = sequence + 1;
    const latest = expected + unread;
    const before = sequence;
    sequence = value;
    unread = 0;
    if (value <= before) {
      return {
        rule: "SEQUENCE_NOT_INCREASING",
        message: `Sequence ${value} follows ${before}, so it must be ${expected}.`,
      };
    }
    // Each unreadable line accounts for one number.
    if (value > latest)
      return {
        rule: "SEQUENCE_GAP",
        message: `Sequence ${value} leaves a gap: the next event is number ${expected}.`,
      };
    return undefined;
  }

  function clock(now: string): Violation | undefined {
    const before = timestamp;
    timestamp = now;
    if (before === undefined || !isEarlier(now, before)) return undefined;
    return {
      rule: "TIMESTAMP_BACKWARDS",
      message: `The time ${now} is before that of the previous event, ${before}.`,
    };
  }

  function sessionOf(
    id: string,
    type: Json | undefined,
    details: Json | undefined,
  ): Violation | undefined {
    const before = session;
    session = id;
    if (before === undefined) return undefined;
    if (type === "session_resumed") {
      const previous =
        typeof details === "object" && details !== null
          ? (details as JsonObject)["previous_session_id"]
          : undefined;
      if (previous === before) return undefined;
      const named = previous === undefined ? "missing" : quote(JSON.stringify(previous));
      return {
        rule: "PREVIOUS_SESSION_MISMATCH",
        message: `\`previous_session_id\` is ${named}, but the session before is \`${before}\`.`,
      };
    }
    if (id === before) return undefined;
    return {
      rule: "SESSION_ID_CHANGED",
      message: `The session changed from \`${before}\` to \`${id}\` without a \`session_resumed\`.`,
    };
  }

  function beginning(type: string): Violation | undefined {
    const isFirst = !begun;
    const isStart = type === "session_start";
    const wasStarted = started;
    started ||= isStart || type === "session_resumed";
    if (isFirst && !started) {
      return {
        rule: "FIRST_EVENT_NOT_SESSION",
        message: `The log starts with ${quote(type)}, but its first event must be \`session_start\` or \`session_resumed\`.`,
      };
    }
    if (isStart && wasStarted) {
      return {
        rule: "UNEXPECTED_SESSION_START",
        message: "`session_start` may only be the first event of a log.",
      };
    }
    return undefined;
  }

  return {
    get sequence() {
      return sequence;
    },
    next(record, whole) {
      const found: Violation[] = [];
      const add = (broken: Violation | undefined): void =>
        void (broken !== undefined && found.push(broken));
      const { event_type: type, details } = record;
      if (typeof type === "string" && type !== "") add(beginning(type));
      begun = true;
      if (whole || fieldFits(record, "sequence")) add(number(record["sequence"] as number));
      else unread += 1;
      if (whole || fieldFits(record, "timestamp")) add(clock(record["timestamp"] as string));
      if (whole || fieldFits(record, "session_id"))
        add(sessionOf(record["session_id"] as string, type, details));
      return found;
    },
    anchor(value) {
      const before = sequence;
      const latest = before + unread;
      begun = true;
      started = true;
      sequence = value;
      unread = 0;
      // Nothing is known of the log before its first number.
      if (before === 0 || (value >= before && value <= latest)) return undefined;
      return {
        rule: "ANCHOR_MISMATCH",
        message: `The anchor is for sequence ${value}, but the file before it ends with ${before}.`,
      };
    },
    unread() {
      begun = true;
      unread += 1;
    },
  };
}

// Times of one form compare as text.
function isEarlier(one: string, other: string): boolean {
  if (one === other) return false;
  const alike = one.length === other.length && one.endsWith("Z") && other.endsWith("Z");
  return alike ? one < other : Date.parse(one) < Date.parse(other);
}
