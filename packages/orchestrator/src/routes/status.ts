import type { z } from "@hono/zod-openapi";
import { statusSchema } from "@bylaw/plugin-status";
import { defineRoute } from "../http/route.ts";

/** The state of the run, as `status.json` has it. */
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
