import { BylawError } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { eventTime } from "../format/codec/envelope.ts";

/** The clock of a run. It never goes back, neither behind the log nor behind its own readings. */
export class RunClock {
  readonly #now: () => string;
  #latest: string | undefined;

  constructor(now: () => string) {
    this.#now = now;
  }

  /** The time, but never before `last`. Throws BYLAW_EVENT_INVALID if the clock returns no RFC 3339 time. */
  time(last: string | undefined): string {
    const at: unknown = this.#now();
    // Without a valid time, nothing would ever expire.
    if (typeof at !== "string" || Number.isNaN(eventTime({ timestamp: at }) ?? Number.NaN))
      throw badTime(at);
    this.#latest = notBefore(notBefore(at, last), this.#latest);
    return this.#latest;
  }
}

/** The given time, but never before `last`. An invalid time is returned as it is. */
export const notBefore = (time: string, last: string | undefined): string =>
  last !== undefined && last !== time && Date.parse(time) < Date.parse(last) ? last : time;

/**
 * A time that is 1 ms ahead on the second try, and twice as much on each further one. So a writer that always loses the race gets ahead of
 * the others' clocks.
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
