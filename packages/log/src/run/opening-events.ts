import type { View } from "@bylaw/kernel";
import { eventTime } from "../format/codec/envelope.ts";
import type { Lifecycle, OpeningEvent } from "../state/lifecycle.ts";
import { currentSession, type Session } from "../state/session.ts";
import type { Plan } from "./run-contract.ts";

/** The first events of a session: that it begins the log or resumes it. */
export function openingEvents(
  view: View,
  lifecycles: readonly Lifecycle<unknown>[],
  plan: Plan | undefined,
): readonly OpeningEvent[] {
  const last = view(currentSession);
  if (last !== null) return resumeEvents(view, lifecycles, last);
  const details = { plan_file: plan?.file ?? null, total_tasks: plan?.total_tasks ?? 0 };
  return [{ event_type: "session_start", task_id: null, details }];
}

function resumeEvents(
  view: View,
  lifecycles: readonly Lifecycle<unknown>[],
  last: Session,
): readonly OpeningEvent[] {
  const resumed = lifecycles.map((lifecycle) => lifecycle.resume(view(lifecycle), last));
  const sum = (of: keyof (typeof resumed)[number]["counts"]): number =>
    resumed.reduce((total, { counts }) => total + counts[of], 0);
  const details = {
    previous_session_id: last.session,
    state_saved_at: eventTime({ timestamp: last.at }) === undefined ? null : last.at,
    in_progress_tasks_count: sum("in_progress_tasks_count"),
    pending_audit_count: sum("pending_audit_count"),
    completed_tasks_count: sum("completed_tasks_count"),
  };
  return [
    { event_type: "session_resumed", task_id: null, details },
    ...resumed.flatMap(({ events }) => events),
  ];
}
