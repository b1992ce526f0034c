import type { Json, JsonObject } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { fieldFits } from "../codec/envelope.ts";
import type { Violation } from "./rules.ts";

/**
 * Checks the sequence, time and session of each line against the line before it. Reports each break of order where it happens; the next
 * line is then checked against the new line, not the old one.
 */
export class EnvelopeOrder {
  #sequence = 0;
  #unread = 0;
  #timestamp: string | undefined;
  #session: string | undefined;
  #started = false;
  /** Whether there was a line before, readable or not. */
  #begun = false;

  /** The last sequence that was read; 0 at the start. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Checks a record. `whole`: it has every field, and all are valid. */
  next(record: JsonObject, whole: boolean): readonly Violation[] {
    const { event_type: type, details } = record;
    const has = (field: "sequence" | "timestamp" | "session_id"): boolean =>
      whole || fieldFits(record, field);
    const beginning = typeof type === "string" && type !== "" ? this.#beginning(type) : undefined;
    this.#begun = true;
    if (!has("sequence")) this.#unread += 1;
    return [
      beginning,
      has("sequence") ? this.#number(record["sequence"] as number) : undefined,
      has("timestamp") ? this.#clock(record["timestamp"] as string) : undefined,
      has("session_id")
        ? this.#sessionOf(record["session_id"] as string, type, details)
        : undefined,
    ].filter((broken) => broken !== undefined);
  }

  /** Checks the line that repeats the sequence of the last event of the file before. */
  anchor(value: number): Violation | undefined {
    const before = this.#sequence;
    const latest = before + this.#unread;
    this.#begun = true;
    this.#started = true;
    this.#sequence = value;
    this.#unread = 0;
    // Nothing is known of the log before its first sequence.
    if (before === 0 || (value >= before && value <= latest)) return undefined;
    return {
      rule: "ANCHOR_MISMATCH",
      message: `The anchor is for sequence ${value}, but the file before it ends with ${before}.`,
    };
  }

  /** Records an unreadable line, which may have been an event. */
  unread(): void {
    this.#begun = true;
    this.#unread += 1;
  }

  #beginning(type: string): Violation | undefined {
    const isStart = type === "session_start";
    const wasStarted = this.#started;
    this.#started ||= isStart || type === "session_resumed";
    if (!this.#begun && !this.#started) {
      return {
        rule: "FIRST_EVENT_NOT_SESSION",
        message: `The log starts with ${quote(type)}, but its first event must be \`session_start\` or \`session_resumed\`.`,
      };
    }
    if (!isStart || !wasStarted) return undefined;
    return {
      rule: "UNEXPECTED_SESSION_START",
      message: "`session_start` may only be the first event of a log.",
    };
  }

  #number(value: number): Violation | undefined {
    const before = this.#sequence;
    const expected = before + 1;
    const latest = expected + this.#unread;
    this.#sequence = value;
    this.#unread = 0;
    if (value <= before) {
      return {
        rule: "SEQUENCE_NOT_INCREASING",
        message: `Sequence ${value} follows ${before}, so it must be ${expected}.`,
      };
    }
    // Each unreadable line may account for one sequence.
    if (value <= latest) return undefined;
    return {
      rule: "SEQUENCE_GAP",
      message: `Sequence ${value} leaves a gap: the next event is number ${expected}.`,
    };
  }

  #clock(now: string): Violation | undefined {
    const before = this.#timestamp;
    this.#timestamp = now;
    if (before === undefined || !isEarlier(now, before)) return undefined;
    return {
      rule: "TIMESTAMP_BACKWARDS",
      message: `The time ${now} is before that of the previous event, ${before}.`,
    };
  }

  #sessionOf(id: string, type: Json | undefined, details: Json | undefined): Violation | undefined {
    const before = this.#session;
    this.#session = id;
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
}

// Times in the same format compare as text.
function isEarlier(one: string, other: string): boolean {
  if (one === other) return false;
  const alike = one.length === other.length && one.endsWith("Z") && other.endsWith("Z");
  return alike ? one < other : Date.parse(one) < Date.parse(other);
}
