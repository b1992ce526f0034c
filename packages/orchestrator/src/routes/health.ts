import { z } from "@hono/zod-openapi";
import { defineRoute, reply } from "../http/route.ts";
import { type Service } from "../service/service.ts";

/** Whether the process answers at all. */
export const getHealth = defineRoute({
  method: "get",
  path: "/health",
  summary: "Tell whether the server answers",
  tags: ["server"],
  callers: ["anyone"],
  answers: {
    200: {
      description: "It answers",
      schema: z.object({
        status: z.literal("healthy"),
        workflow_loaded: z.literal(true),
        enforcement_mode: z.string(),
      }),
    },
  },
  handle: ({ service }) =>
    reply({
      status: "healthy",
      workflow_loaded: true,
      enforcement_mode: service.kernel.enforcement_mode,
    }),
});

const readiness = z.object({
  ready: z.boolean(),
  reason: z.enum(["closing", "store", "log"]).optional(),
});

/** Whether requests may be sent here. */
export const getReady = defineRoute({
  method: "get",
  path: "/ready",
  summary: "Tell whether the server takes requests",
  description: "503 while it closes, while its store cannot write, and where its log was changed.",
  tags: ["server"],
  callers: ["anyone"],
  answers: {
    200: { description: "Ready", schema: readiness },
    503: { description: "Not ready", schema: readiness },
  },
  async handle({ service }) {
    const reason = await reasonAgainst(service);
    if (reason === undefined) return reply({ ready: true });
    return reply({ ready: false, reason }, { status: 503, headers: { "retry-after": "1" } });
  },
});

async function reasonAgainst(service: Service): Promise<"closing" | "log" | "store" | undefined> {
  if (service.closing.aborted) return "closing";
  if (service.broken() !== undefined) return "log";
  return (await service.canCommit()) ? undefined : "store";
}
