import type { EventDraft, JsonObject } from "@bylaw/kernel";
import type { EventType } from "@bylaw/log";
import { z } from "zod";

const id = z.string().min(1).max(256);
const names = (most: number) =>
  z
    .array(id)
    .max(most)
    .refine((list) => new Set(list).size === list.length, "names one twice");
const fence = z.int().positive();
const time = z.iso.datetime();
const note = z.string().max(2_000);

/** The limits of a task: its dependencies, its capabilities, and the characters of a name, a title and a reason. */
export const LIMITS = {
  dependencies: 10_000,
  capabilities: 64,
  name: 256,
  title: 500,
  reason: 2_000,
} as const;

/** The details of every task event, by type. Events that a run records itself are not included. */
const TASK_EVENTS = {
  /** A task was created, with its dependencies. */
  task_created: z.strictObject({
    title: z.string().max(LIMITS.title).nullable(),
    dependencies: names(LIMITS.dependencies),
    capabilities: names(LIMITS.capabilities),
  }),
  /** An agent holds it. */
  task_claimed: z.strictObject({
    fence,
    lease_until: time,
    capabilities: names(1_000),
    request_id: z.string().max(512).nullable(),
  }),
  /** The agent that holds it sent a heartbeat. */
  task_renewed: z.strictObject({ fence, lease_until: time }),
  /** The lease is over, and the task will be tried again. */
  task_lapsed: z.strictObject({
    agent: z.string(),
    fence,
    retry: z.int().positive(),
    retry_at: time,
  }),
  /** The lease is over, and a person must decide. */
  task_escalated: z.strictObject({ agent: z.string(), fence, lapses: z.int().positive() }),
  /** The agent that held it returned it. */
  task_released: z.strictObject({ fence, reason: note.nullable() }),
  /** The agent that held it reports that it cannot be done. */
  task_failed: z.strictObject({ fence, reason: note }),
  /** A person has it tried again. */
  task_retried: z.strictObject({ by: id, reason: note.nullable() }),
  /** The store has been told that the task is completed. */
  task_finished: z.strictObject({ fence }),
} as const;

/** The types of events that this plugin declares. */
export const EVENT_TYPES: readonly EventType[] = Object.entries(TASK_EVENTS).map(
  ([name, details]) => ({ name, details }),
);

type Types = typeof TASK_EVENTS;
export type TaskEvent = {
  readonly [Name in keyof Types]: { readonly type: Name; readonly details: z.output<Types[Name]> };
}[keyof Types];

/** Parses the details of this plugin's events; `undefined` for every other event, and for details that do not fit their type. */
export function taskEventOf({
  event_type,
  details,
}: Pick<EventDraft, "event_type" | "details">): TaskEvent | undefined {
  if (!Object.hasOwn(TASK_EVENTS, event_type)) return undefined;
  const parsed = TASK_EVENTS[event_type as keyof Types].safeParse(details as JsonObject);
  return parsed.success ? ({ type: event_type, details: parsed.data } as TaskEvent) : undefined;
}
