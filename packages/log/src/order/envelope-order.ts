import type { Json, JsonObject } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { fieldFits } from "../codec/envelope.ts";
import type { Broken } from "./rules.ts";

/** Holds each line against the one before it: numbering, time and session. */
export interface EnvelopeOrder {
  /** The number of the last line that had one; 0 before it. */
  readonly sequence: number;
  /** A record. `whole`: nothing is missing in it, and every field fits. */
  next(record: JsonObject, whole: boolean): readonly Broken[];
  /** A line that carries the number over from another file, and no event. */
  anchor(sequence: number): Broken | undefined;
  /** A line that could not be read: it may have held any event, one of them. */
  unread(): void;
}

/**
 * A fold over the lines of a log. Each break of order is told where it happens, and the lines after it are held against the new
 * line and not against the old one.
 */
export function createEnvelopeOrder(): EnvelopeOrder {
  let sequence = 0;
  let unread = 0;
  let timestamp: string | undefined;
  let session: string | undefined;
  let started = false;
  // Whether some line stood before this one, even one that nobody can read.
  let begun = false;

  function number(value: number): Broken | undefined {
    const expected = sequence + 1;
    const latest = expected + unread;
    const before = sequence;
    sequence = value;
    unread = 0;
    if (value <= before) {
      return { rule: "SEQUENCE_NOT_INCREASING", message: `Unexpected sequence ${value} behind ${before}, expected ${expected}` };
    }
    // What cannot be read accounts for as many numbers as there are such lines.
    if (value > latest) return { rule: "SEQUENCE_GAP", message: `Unexpected sequence ${value}, expected ${expected}` };
    return undefined;
  }

  function clock(now: string): Broken | undefined {
    const before = timestamp;
    timestamp = now;
    if (before === undefined || !isEarlier(now, before)) return undefined;
    return { rule: "TIMESTAMP_BACKWARDS", message: `Unexpected time ${now}, expected none before ${before}` };
  }

  function sitting(id: string, type: Json | undefined, details: Json | undefined): Broken | undefined {
    const before = session;
    session = id;
    if (before === undefined) return undefined;
    if (type === "session_resumed") {
      const previous = typeof details === "object" && details !== null ? (details as JsonObject)["previous_session_id"] : undefined;
      if (previous === before) return undefined;
      const named = previous === undefined ? "none" : quote(JSON.stringify(previous));
      return { rule: "PREVIOUS_SESSION_MISMATCH", message: `Unexpected previous session ${named}, expected \`${before}\`` };
    }
    if (id === before) return undefined;
    return { rule: "SESSION_ID_CHANGED", message: `Unexpected session \`${id}\`, expected \`${before}\` until a session_resumed` };
  }

  function beginning(type: string): Broken | undefined {
    const isFirst = !begun;
    const isStart = type === "session_start";
    const wasStarted = started;
    started ||= isStart || type === "session_resumed";
    if (isFirst && !started) {
      return {
        rule: "FIRST_EVENT_NOT_SESSION",
        message: `Unexpected ${quote(type)} as the first event, expected session_start or session_resumed`,
      };
    }
    if (isStart && wasStarted) {
      return {
        rule: "UNEXPECTED_SESSION_START",
        message: "Unexpected second beginning of the log, expected session_start only as its first event",
      };
    }
    return undefined;
  }

  return {
    get sequence() {
      return sequence;
    },
    next(record, whole) {
      const found: Broken[] = [];
      const add = (broken: Broken | undefined): void => void (broken !== undefined && found.push(broken));
      const { event_type: type, details } = record;
      if (typeof type === "string" && type !== "") add(beginning(type));
      begun = true;
      if (whole || fieldFits(record, "sequence")) add(number(record["sequence"] as number));
      else unread += 1;
      if (whole || fieldFits(record, "timestamp")) add(clock(record["timestamp"] as string));
      if (whole || fieldFits(record, "session_id")) add(sitting(record["session_id"] as string, type, details));
      return found;
    },
    anchor(value) {
      const before = sequence;
      const latest = before + unread;
      begun = true;
      started = true;
      sequence = value;
      unread = 0;
      // Of what stood before the first number of a log nobody knows how far it went.
      if (before === 0 || (value >= before && value <= latest)) return undefined;
      return { rule: "ANCHOR_MISMATCH", message: `Unexpected anchor at sequence ${value}, expected ${before}` };
    },
    unread() {
      begun = true;
      unread += 1;
    },
  };
}

// Most times of a log have one form, in which the text tells; reading a time costs more than all else here.
function isEarlier(one: string, other: string): boolean {
  if (one === other) return false;
  const alike = one.length === other.length && one.endsWith("Z") && other.endsWith("Z");
  return alike ? one < other : Date.parse(one) < Date.parse(other);
}
