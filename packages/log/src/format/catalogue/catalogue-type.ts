import type { EventType } from "../../state/declared.ts";

import { z } from "zod";

/** The part of the work that an event is about. */
export type EventGroup =
  | "session"
  | "setup"
  | "expert"
  | "developer"
  | "environment"
  | "critic"
  | "auditor"
  | "infrastructure"
  | "guidance"
  | "quality"
  | "run";

/** One event type: its name, when it is recorded, and the schema of its details. */
export interface CatalogueType extends EventType {
  readonly group: EventGroup;
  /** When it is recorded. Completes the sentence "recorded when …". */
  readonly when: string;
  readonly details: z.ZodObject;
}

type Shape = Readonly<Record<string, z.ZodType>>;

/** Returns a function that creates the types of one group. Their details may have only the named fields. */
export function typesOf(
  group: EventGroup,
): (name: string, when: string, fields: Shape) => CatalogueType {
  return (name, when, fields) => ({ name, group, when, details: z.strictObject(fields) });
}

// The specification of the catalogue names fields without types. Each type here is as narrow as all uses of the field allow.

/** A non-empty name. */
export const id = z.string().min(1);
export const text = z.string();
export const texts = z.array(z.string());
/** A whole number from 0. */
export const count = z.int().nonnegative();
export const number = z.number();
export const flag = z.boolean();
/** An RFC 3339 time, or null if it is unknown. */
export const time = z.iso.datetime({ offset: true }).nullable();
/** Any JSON: text, a list or an object. */
export const free = z.json();

/** The task, repeated inside the details. */
export const TASK = { task_id: id } as const;
export const AGENT = { agent_id: id } as const;
export const WORK = { ...TASK, ...AGENT } as const;
