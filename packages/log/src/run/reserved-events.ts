import { BylawError, type JsonObject } from "@bylaw/kernel";
import { ANCHOR_TYPE } from "../format/verify.ts";

const BY_TYPE: JsonObject = {
  ...{
    tool_allowed: "toolCall",
    tool_asked: "toolCall",
    tool_denied: "toolCall",
    tool_result: "toolResult",
    experiment_assigned: "toolCall",
  },
  ...{ phase_entered: "transition", transition_blocked: "transition" },
  ...{ behavior_applied: "behave", behavior_rejected: "behave" },
  ...{
    response_accepted: "respond",
    enforcement: "respond",
    approval_granted: "approve",
    approval_refused: "refuse",
    mark_cleared: "clearMark",
  },
};
const OPENING = [
  "session_start",
  "session_resumed",
  "task_restarted_on_resume",
  "task_reverification_required",
];

/** Event types that only the run records, with the method that records each. */
const RECORDED_BY: ReadonlyMap<string, string> = new Map([
  ...Object.entries(BY_TYPE).map(([type, call]) => [type, `\`run.${String(call)}\``] as const),
  ...OPENING.map((type) => [type, "`openRun`"] as const),
]);

/** Whether only the run, or the program that starts a new log file, writes events of this type. */
export const isReserved = (event_type: string): boolean =>
  RECORDED_BY.has(event_type) || event_type === ANCHOR_TYPE;

/** The error for recording an event of a reserved type. */
export function reservedEvent(event_type: string): BylawError {
  const call = RECORDED_BY.get(event_type);
  return new BylawError({
    code: "BYLAW_EVENT_INVALID",
    message:
      call === undefined
        ? `\`${event_type}\` is the first line of a log file, not an event`
        : `\`${event_type}\` is recorded by the run itself`,
    fix:
      call === undefined
        ? "Leave it to the program that writes the file"
        : `Call ${call}, which records it`,
  });
}
