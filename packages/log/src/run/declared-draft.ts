import {
  BylawError,
  freezeJson,
  omitUndefined,
  type EventDraft,
  type JsonObject,
} from "@bylaw/kernel";
import { didYouMean } from "@bylaw/wording";
import { problemOf } from "../format/catalogue/details.ts";
import type { Journal } from "./journal-contract.ts";
import { isReserved, reservedEvent } from "./reserved-events.ts";
import type { EventType } from "../state/declared.ts";
import type { RecordableEvent } from "./run-contract.ts";

/** The draft of an event of a declared type. Throws BYLAW_EVENT_INVALID if it does not fit the type. */
export function declaredDraft(
  declared: readonly EventType[],
  journal: Journal,
  { event_type, agent_id, task_id, details: given }: RecordableEvent,
): EventDraft {
  // A copy, so that the recorded details are the checked ones.
  const details = freezeJson(given) as JsonObject;
  if (![agent_id, task_id].every((id) => id === null || typeof id === "string"))
    throw invalidEvent("`agent_id` and `task_id` must be text or null");
  if (isReserved(event_type)) throw reservedEvent(event_type);
  const types = declared.filter(({ name }) => name === event_type);
  if (types.length === 0) {
    const names = declared.map(({ name }) => name).filter((name) => !isReserved(name));
    throw invalidEvent(
      `No plugin declares the event type \`${event_type}\``,
      typeof event_type === "string" ? didYouMean(event_type, new Set(names)) : undefined,
    );
  }
  for (const type of types) {
    const parsed = type.details.safeParse(details);
    if (!parsed.success) throw invalidEvent(problemOf(event_type, parsed.error.issues));
  }
  return journal.draft(event_type, { agent: agent_id, task: task_id }, details);
}

/** The error for an invalid event or draft. */
export const invalidEvent = (message: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_EVENT_INVALID", message, ...omitUndefined({ fix }) });
