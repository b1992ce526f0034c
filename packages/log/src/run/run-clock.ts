import { BylawError } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { eventTime } from "../format/codec/envelope.ts";

/** The clock of a run: it never goes back, neither behind the log nor between two of its own readings. */
export class RunClock {
  readonly #now: () => string;
  #latest: string | undefined;

  constructor(now: () => string) {
    this.#now = now;
  }

  /** The time, but none before `last`. Throws BYLAW_EVENT_INVALID where the clock gives no RFC 3339 time. */
  time(last: string | undefined): string {
    const at: unknown = this.#now();
    // Nothing would ever expire after a time that cannot be read.
    if (typeof at !== "string" || Number.isNaN(eventTime({ timestamp: at }) ?? Number.NaN))
      throw badTime(at);
    this.#latest = notBefore(notBefore(at, last), this.#latest);
    return this.#latest;
  }
}

/** A time, but none before `last`. A time that cannot be read is returned as it is. */
export const notBefore = (time: string, last: string | undefined): string =>
  last !== undefined && last !== time && Date.parse(time) < Date.parse(last) ? last : time;

/**
 * A time that is ahead by 1 ms on the second try, and twice as much on each further one. A writer that is beaten again and again
 * gets ahead of the others' clocks this way.
 */
export const dateAhead = (timestamp: string, tries: number): string =>
  tries === 0 ? timestamp : new Date(Date.parse(timestamp) + 2 ** (tries - 1)).toISOString();

function badTime(at: unknown): BylawError {
  return new BylawError({
    code: "BYLAW_EVENT_INVALID",
    message: `The clock of the run gave ${quote(String(at))}, which is not an RFC 3339 time`,
    fix: "Let `now` of the run return one, such as `new Date().toISOString()`",
  });
}
