import { isJsonObject, type Json, type JsonObject, type LogEvent } from "@bylaw/kernel";

/** The facts of an event that searches use. */
export interface EventFacts {
  readonly task: string | null;
  readonly agent: string | null;
  readonly tool: string | null;
  /** Whether it succeeded; `null` if it is neither a success nor a failure. */
  readonly success: boolean | null;
}

const WENT_WELL: Readonly<Record<string, boolean>> = {
  phase_entered: true,
  behavior_applied: true,
  response_accepted: true,
  tool_denied: false,
  transition_blocked: false,
  behavior_rejected: false,
  enforcement: false,
  access_refused: false,
};

/** Reads the facts of an event. For a refused request, they come from the request itself. */
export function facts({ event_type, task_id, agent_id, details }: LogEvent): EventFacts {
  const { task, agent, tool, ok } = details;
  const refused = event_type === "access_refused";
  return {
    task: task_id ?? (refused ? textOf(task) : null),
    agent: agent_id ?? (refused ? textOf(agent) : null),
    tool: refused || event_type.startsWith("tool_") ? textOf(tool) : null,
    success:
      event_type === "tool_result"
        ? ok === true
        : Object.hasOwn(WENT_WELL, event_type)
          ? (WENT_WELL[event_type] ?? null)
          : null,
  };
}

/** The decision of an event, or an empty object. */
export const decisionIn = ({ details: { decision = null } }: LogEvent): JsonObject =>
  isJsonObject(decision) ? decision : {};

export const textOf = (value: Json | undefined): string | null =>
  typeof value === "string" ? value : null;
