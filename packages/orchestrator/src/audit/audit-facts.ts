import { isJsonObject, type Json, type JsonObject, type LogEvent } from "@bylaw/kernel";

/** What an event is about. */
export interface EventFacts {
  readonly task: string | null;
  readonly agent: string | null;
  readonly tool: string | null;
  /** Whether it went well; `null` where it neither did nor did not. */
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

/** Reads what an event is about; a request that was not let in is about what it says itself. */
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
