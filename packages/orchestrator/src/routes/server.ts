import { statusSchema } from "@bylaw/plugin-status";
import { z } from "@hono/zod-openapi";
import { wrongCaller } from "../auth/authenticate.ts";
import { defineRoute, reply } from "../http/route.ts";
import type { Service } from "../service/service.ts";

export const getHealth = defineRoute({
  method: "get",
  path: "/health",
  summary: "Check whether the server is alive",
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

export const getReady = defineRoute({
  method: "get",
  path: "/ready",
  summary: "Check whether the server is ready",
  description:
    "503 while it closes, while its store cannot write, and when its log was tampered with.",
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

export const getStatus = defineRoute({
  method: "get",
  path: "/status",
  summary: "Read the status of the run",
  description: "The same as `bylaw status --json`.",
  tags: ["status"],
  callers: ["operator"],
  answers: { 200: { description: "The status", schema: statusSchema as unknown as z.ZodType } },
  async handle({ service }) {
    const { text } = await service.operations.status.read();
    return new Response(text, {
      headers: { "content-type": "application/json", "cache-control": "no-store" },
    });
  },
});

export const getMetrics = defineRoute({
  method: "get",
  path: "/metrics",
  summary: "Read the metrics of this node",
  description: "For operators; for anyone if `metrics.open` is set.",
  tags: ["server"],
  callers: ["operator", "agent", "enrolled", "anyone"],
  answers: { 200: { description: "Prometheus text" }, 401: { description: "No operator" } },
  async handle({ service, route, context }) {
    const { settings, operations } = service;
    if (!settings.metrics.open) {
      // The route declares `anyone` because a setting can open it. Without that setting, it requires an operator.
      const found = await service.authenticate(context.req.header("authorization"));
      if (!("kind" in found) || found.kind !== "operator") {
        const refusal = "kind" in found ? wrongCaller(found, ["operator"]) : found;
        const headers =
          refusal.status === 401 ? { "www-authenticate": 'Bearer realm="bylaw"' } : undefined;
        throw await service.refused({ ...refusal, headers }, { route });
      }
    }
    const { metrics } = operations;
    return new Response(await metrics.text(), {
      headers: { "content-type": metrics.contentType, "cache-control": "no-store" },
    });
  },
});
