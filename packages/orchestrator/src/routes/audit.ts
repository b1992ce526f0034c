import { z } from "@hono/zod-openapi";
import { defineRoute, reply } from "../http/route.ts";
import { jsonObject } from "../http/shapes.ts";

const name = z.string().min(1).max(2_000);
const time = z.iso.datetime({ offset: true });
const cursor = z.string().regex(/^\d{1,15}$/, "must be the `next` of a page");

const entry = z
  .looseObject({
    sequence: z.int(),
    timestamp: z.string(),
    event_type: z.string(),
    session_id: z.string(),
    agent_id: z.string().nullable(),
    task_id: z.string().nullable(),
    phase: z.string().nullable(),
    tool_name: z.string().nullable(),
    args: z.any(),
    result: z.any(),
    duration_ms: z.number().nullable(),
    success: z.boolean().nullable(),
    error: z.string().nullable(),
    effect: z.string().nullable(),
    code: z.string().nullable(),
    details: jsonObject,
  })
  .openapi("AuditEntry", { description: "One event of the log" });

const page = z.object({
  entries: z.array(entry),
  total: z.int(),
  next: z.string().optional(),
  from_sequence: z.int().optional(),
});

export const getAuditQuery = defineRoute({
  method: "get",
  path: "/audit/query",
  summary: "Search the log",
  description:
    "All filters must match. The newest events come first; `next` is the `cursor` of the next page.",
  tags: ["audit"],
  callers: ["operator"],
  query: z.strictObject({
    task_id: name.optional(),
    phase: name.optional(),
    tool_name: name.optional(),
    agent_id: name.optional(),
    event_type: name.optional(),
    success: z.enum(["true", "false"]).optional(),
    since: time.optional(),
    until: time.optional(),
    limit: z.coerce.number().int().min(1).max(1_000).default(100),
    cursor: cursor.optional(),
  }),
  answers: { 200: { description: "A page of the log", schema: page } },
  async handle({ service, query: { success, since, until, limit, cursor: below, ...names } }) {
    const filter = {
      ...names,
      success: success === undefined ? undefined : success === "true",
      since: since === undefined ? undefined : Date.parse(since),
      until: until === undefined ? undefined : Date.parse(until),
    };
    const page = { limit, below: below === undefined ? undefined : Number(below) };
    return reply(await service.operations.audit.query(filter, page));
  },
});

export const getAuditRecent = defineRoute({
  method: "get",
  path: "/audit/recent",
  summary: "List the last events, newest first",
  tags: ["audit"],
  callers: ["operator"],
  query: z.strictObject({ count: z.coerce.number().int().min(1).max(1_000).default(10) }),
  answers: { 200: { description: "The last events", schema: page } },
  handle: async ({ service, query: { count } }) =>
    reply(await service.operations.audit.query({}, { limit: count })),
});

const counts = z.record(z.string(), z.int());

export const getAuditStats = defineRoute({
  method: "get",
  path: "/audit/stats",
  summary: "Count the events of the log",
  tags: ["audit"],
  callers: ["operator"],
  answers: {
    200: {
      description: "The counts",
      schema: z.object({
        total_entries: z.int(),
        total_successes: z.int(),
        total_failures: z.int(),
        success_rate: z.number(),
        tools_used: counts,
        phases: counts,
        event_types: counts,
        decisions: counts,
      }),
    },
  },
  handle: async ({ service }) => reply(await service.operations.audit.stats()),
});
