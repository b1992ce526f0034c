import { defineProjection } from "@bylaw/kernel";
import { NO_LINK } from "../format/chain.ts";

/** The session that writes a log, and the end of the log. */
export interface Session {
  /** The session that began or resumed the log last. */
  readonly session: string;
  /** The time of the last event. */
  readonly at: string;
  /** The link of the last event. */
  readonly link: string;
}

const OPENING: ReadonlySet<string> = new Set(["session_start", "session_resumed"]);

/** The session of a log; `null` before its first event. */
export const currentSession = defineProjection<Session | null>({
  name: "bylaw/sitting",
  version: 1,
  scope: "task",
  initial: null,
  reduce: (state, { event_type, session_id, timestamp, hash = NO_LINK }) => ({
    session: state === null || OPENING.has(event_type) ? session_id : state.session,
    at: timestamp,
    link: hash,
  }),
});
