import { z } from "@hono/zod-openapi";
import { defineRoute, reply } from "../http/route.ts";

/** Whether the process answers at all. */
export const getHealth = defineRoute({
  method: "get",
  path: "/health",
  summary: "Whether the server answers",
  tags: ["server"],
  callers: ["anyone"],
  answers: { 200: { description: "It does", schema: z.object({ status: z.literal("healthy") }) } },
  handle: () => reply({ status: "healthy" }),
});
