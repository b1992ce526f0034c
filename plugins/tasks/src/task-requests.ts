import { BylawError } from "@bylaw/kernel";
import { describeIssues, isBlank, quote } from "@bylaw/wording";
import { z } from "zod";
import { LIMITS } from "./events.ts";

const isSeen = (text: string): boolean => !isBlank(text);
const name = z.string().min(1).max(LIMITS.name).refine(isSeen, "must not be blank");
const reason = z.string().max(LIMITS.reason);
const request_id = z.string().max(512);
const distinct = (most: number) =>
  z
    .array(name)
    .max(most)
    .transform((names) => [...new Set(names)]);
const hold = { task: name, agent: name, fence: z.int().positive() };
const json = z.record(z.string(), z.unknown());

export const taskRequests = {
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
  fail: z.strictObject({ ...hold, reason: reason.refine(isSeen, "must not be blank") }),
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

/** The request, if it is valid. Throws BYLAW_TASK_INVALID. */
export function parseTaskRequest<Name extends keyof typeof taskRequests>(
  what: Name,
  given: unknown,
): z.output<(typeof taskRequests)[Name]> {
  const parsed = taskRequests[what].safeParse(given);
  if (parsed.success) return parsed.data as z.output<(typeof taskRequests)[Name]>;
  const message = `Cannot ${what} the task: ${describeIssues(parsed.error, "the request")}`;
  throw new BylawError({
    code: "BYLAW_TASK_INVALID",
    message,
    fix: "The types of @bylaw/plugin-tasks say what a task takes.",
  });
}

/** The error for a task that was never created. */
export const unknownTask = (id: string): BylawError =>
  new BylawError({
    code: "BYLAW_TASK_UNKNOWN",
    message: `There is no task ${quote(id)}`,
    fix: "Create it first.",
  });
