import type { EventType } from "../../state/declared.ts";

import { z } from "zod";

/** What part of the work an event is about. */
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

/** One type of event: its name, when it is recorded, and the schema of its details. */
export interface CatalogueType extends EventType {
  readonly group: EventGroup;
  /** When it is recorded. Completes "recorded when …". */
  readonly when: string;
  readonly details: z.ZodObject;
}

type Shape = Readonly<Record<string, z.ZodType>>;

/** A function that makes the types of one group. The details are exactly the fields named, and no other. */
export function typesOf(
  group: EventGroup,
): (name: string, when: string, fields: Shape) => CatalogueType {
  return (name, when, fields) => ({ name, group, when, details: z.strictObject(fields) });
}

// The documents behind the catalogue name the fields and not their types, so a type is as narrow as every use of it allows.

/** A name of something: never empty. */
export const id = z.string().min(1);
export const text = z.string();
export const texts = z.array(z.string());
/** A whole number from 0. */
export const count = z.int().nonnegative();
export const number = z.number();
export const flag = z.boolean();
/** RFC 3339, or nothing where it is not known. */
export const time = z.iso.datetime({ offset: true }).nullable();
/** Text, a list or an object, as its writer likes. */
export const free = z.json();

/** Who does it and on which task: repeated inside the details. */
export const TASK = { task_id: id } as const;
export const AGENT = { agent_id: id } as const;
export const WORK = { ...TASK, ...AGENT } as const;
