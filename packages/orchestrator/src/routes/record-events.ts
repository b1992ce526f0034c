import { z } from "@hono/zod-openapi";
import { omitUndefined, type JsonObject } from "@bylaw/kernel";
import { readCoordinatorEvent } from "@bylaw/plugin-coordinator";
import { problem } from "../http/problem.ts";
import { defineRoute, reply } from "../http/route.ts";
import { agentId, jsonObject, requestId, taskId } from "../http/shapes.ts";
import { changeOnce } from "../service/change-once.ts";

/** Records events of a coordinator. */
export const postEvent = defineRoute({
  method: "post",
  path: "/events",
  summary: "Record an event of a coordinator",
  description:
    "For a coordinator with an operator's token. An event that cannot have happened is refused. Needs @bylaw/plugin-coordinator in the configuration.",
  tags: ["events"],
  callers: ["operator"],
  body: z.strictObject({
    event_type: z.string().max(256),
    agent_id: agentId.optional(),
    task_id: taskId.optional(),
    details: jsonObject.optional(),
    request_id: requestId.optional(),
  }),
  answers: {
    200: {
      description: "The recorded event",
      schema: z.object({ event_type: z.string(), sequence: z.int() }),
    },
  },
  async handle(request) {
    const { service } = request;
    const { request_id: _, ...given } = request.body;
    const body = omitUndefined(given) as JsonObject;
    if (!service.kernel.declared.plugins.includes("@bylaw/plugin-coordinator"))
      throw problem({
        status: 409,
        code: "BYLAW_SERVICE_UNFIT",
        detail: "This server has no rules for the events of a coordinator",
        fix: "Add @bylaw/plugin-coordinator to its configuration, or record with `bylaw log append`.",
      });
    const event = readCoordinatorEvent(body);
    const { event_type } = event;
    const { sequence } = await changeOnce(
      request,
      { content: { route: "events", ...body }, types: [event_type] },
      (run) => run.record([event]),
    );
    return reply({ event_type, sequence });
  },
});
