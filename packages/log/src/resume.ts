import type { JsonObject, View } from "@bylaw/kernel";
import type { Sitting } from "./sitting.ts";

/** An event to record, without what the run itself knows. */
export interface OpeningEvent {
  readonly event_type: string;
  readonly task_id: string | null;
  readonly details: JsonObject;
}

/** What goes on record when a log is taken up by a new session. `last`: how the session before it ended. */
export function resumeEvents(_view: View, last: Sitting): readonly OpeningEvent[] {
  const details = {
    previous_session_id: last.session,
    state_saved_at: last.at,
    in_progress_tasks_count: 0,
    pending_audit_count: 0,
    completed_tasks_count: 0,
  };
  return [{ event_type: "session_resumed", task_id: null, details }];
}
