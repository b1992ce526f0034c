import { defineProjection, type View } from "@bylaw/kernel";
import { NO_LINK } from "./chain.ts";
import { resumeEvents, type OpeningEvent } from "./resume.ts";
import type { Plan } from "./run-contract.ts";

/** Who keeps a log, and how far it has come. */
export interface Sitting {
  /** The session that began or resumed the log last. */
  readonly session: string;
  /** When the last event was recorded. */
  readonly at: string;
  /** The link of the last event. */
  readonly link: string;
}

/** The events that only a run itself records when it is opened. */
export const BEGINNINGS: ReadonlySet<string> = new Set(["session_start", "session_resumed"]);

/** The sitting that a log is in; `null` before its first event. */
export const lastSitting = defineProjection<Sitting | null>({
  name: "bylaw/sitting",
  version: 1,
  initial: null,
  reduce: (state, { event_type, session_id, timestamp, hash = NO_LINK }) => ({
    session: state === null || BEGINNINGS.has(event_type) ? session_id : state.session,
    at: timestamp,
    link: hash,
  }),
});

/** What a session records before anything else. */
export function openingEvents(view: View, plan: Plan | undefined): readonly OpeningEvent[] {
  const last = view(lastSitting);
  if (last !== null) return resumeEvents(view, last);
  const details = { plan_file: plan?.file ?? null, total_tasks: plan?.total_tasks ?? 0 };
  return [{ event_type: "session_start", task_id: null, details }];
}

/** A time, but none before `last`. A time that cannot be read stays as it is. */
export const neverBefore = (time: string, last: string | undefined): string =>
  last !== undefined && last !== time && Date.parse(time) < Date.parse(last) ? last : time;
