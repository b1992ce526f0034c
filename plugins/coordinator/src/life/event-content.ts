import type { Json, LogEvent } from "@bylaw/kernel";

/** The fields of an event that the rules read. */
export type EventContent = Pick<LogEvent, "event_type" | "agent_id" | "task_id" | "details">;

/** A detail that is text. */
export function textOf({ details }: EventContent, field: string): string | undefined {
  const value = details[field];
  return typeof value === "string" ? value : undefined;
}

export function numberOf({ details }: EventContent, field: string): number | undefined {
  const value = details[field];
  return typeof value === "number" ? value : undefined;
}

export function listOf({ details }: EventContent, field: string): readonly Json[] {
  const value = details[field];
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** The task that an event is about: from the envelope, else from the details. */
export const taskOf = (event: EventContent): string | undefined =>
  event.task_id ?? textOf(event, "task_id");

/** The agent that an event is about: from the details, else from the envelope, which may name the coordinator. */
export const agentOf = (event: EventContent): string | undefined =>
  textOf(event, "agent_id") ?? event.agent_id ?? undefined;

/** Whether an event names this agent in every place where it can name one, and at least once. */
export function isFrom(event: EventContent, agent: string): boolean {
  const named = [event.agent_id ?? undefined, textOf(event, "agent_id")].filter(
    (name) => name !== undefined,
  );
  return named.length > 0 && named.every((name) => name === agent);
}
