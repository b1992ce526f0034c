import { BylawError, issuesOf } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { z } from "zod";
import { LIMITS } from "./events.ts";

const name = z.string().min(1).max(LIMITS.name);
const reason = z.string().max(LIMITS.reason);
const request_id = z.string().max(512);
const distinct = (most: number) =>
  z
    .array(name)
    .max(most)
    .transform((names) => [...new Set(names)]);
const hold = { task: name, agent: name, fence: z.int().positive() };
const json = z.record(z.string(), z.unknown());

/** What may be asked of tasks. */
export const WISHES = {
  create: z.strictObject({
    id: name.optional(),
    title: z.string().max(LIMITS.title).optional(),
    dependencies: distinct(LIMITS.dependencies).optional(),
    capabilities: distinct(LIMITS.capabilities).optional(),
  }),
  claim: z.strictObject({
    agent: name,
    capabilities: distinct(1_000).optional(),
    task: name.optional(),
    request_id: request_id.optional(),
  }),
  heartbeat: z.strictObject(hold),
  complete: z.strictObject({
    ...hold,
    artifacts: json,
    reason: z.string().optional(),
    host: json.optional(),
    request_id: request_id.optional(),
  }),
  fail: z.strictObject({ ...hold, reason }),
  release: z.strictObject({ ...hold, reason: reason.optional() }),
  retry: z.strictObject({ task: name, by: name, reason: reason.optional() }),
  snapshot: z.strictObject({
    task: name,
    cursor: z
      .string()
      .regex(/^\d{1,6}$/)
      .optional(),
  }),
  get: name,
} as const;

/** The wish as it was given, where it is one. Throws BYLAW_TASK_INVALID. */
export function wishOf<Name extends keyof typeof WISHES>(what: Name, given: unknown): z.output<(typeof WISHES)[Name]> {
  const parsed = WISHES[what].safeParse(given);
  if (parsed.success) return parsed.data as z.output<(typeof WISHES)[Name]>;
  const message = `Unexpected wish to ${what} a task: ${issuesOf(parsed.error)}`;
  throw new BylawError({ code: "BYLAW_TASK_INVALID", message, fix: "see what a task takes in the types of @bylaw/plugin-tasks" });
}

/** What is said of a task that was never created. */
export const unknownTask = (id: string): BylawError =>
  new BylawError({
    code: "BYLAW_TASK_UNKNOWN",
    message: `Unexpected task ${quote(id)}, expected one that was created`,
    fix: "create it first",
  });
