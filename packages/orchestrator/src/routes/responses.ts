import { z } from "@hono/zod-openapi";
import { omitUndefined, type JsonObject, type Response as ModelResponse } from "@bylaw/kernel";
import { requireRecorded } from "../http/require-recorded.ts";
import { defineRoute, reply } from "../http/route.ts";
import { anyJson, decision, requestId } from "../http/shapes.ts";
import { admitAgent } from "../auth/admission.ts";
import { idempotentRequest, recordOnce } from "../service/idempotency.ts";

const tool = z.string().min(1).max(2_000);
const count = z.int().min(1).max(1_000_000);

/** A complete response of a model. */
export const postResponse = defineRoute({
  method: "post",
  path: "/responses",
  summary: "Judge a complete response of a model",
  description: "`message` is for the model, and `recovery` says how to go on.",
  tags: ["agents"],
  callers: ["agent"],
  body: z.strictObject({
    text: z.string().optional(),
    tool_calls: z
      .array(
        z.strictObject({ id: z.string().max(2_000).optional(), tool, args: anyJson.optional() }),
      )
      .max(1_000)
      .optional(),
    available_tools: z.array(tool).max(10_000).optional(),
    round: count.optional(),
    max_attempts: count.optional(),
    inline: z
      .boolean()
      .optional()
      .openapi({ description: "Whether the client can answer an unknown tool in the stream" }),
    request_id: requestId.optional(),
  }),
  answers: {
    200: {
      description: "The decision",
      schema: z.object({
        accepted: z.boolean(),
        code: z.string(),
        reason: z.string(),
        message: z.string(),
        recovery: z.enum(["inline", "restart", "end"]).optional(),
        sequence: z.int().nullable(),
        decision,
      }),
    },
  },
  async handle(request) {
    const { service, caller, body } = request;
    const { agent, task } = caller;
    await admitAgent(request, { task });
    const { request_id: _, inline, ...said } = body;
    const given = omitUndefined({ ...said, inline }) as JsonObject;
    const named = await idempotentRequest(request, { route: "responses", said: given });
    const host = inline === undefined ? {} : { host: { inline } };
    const response = { agent, task, ...omitUndefined(said), ...host } as Omit<
      ModelResponse,
      "hook"
    >;
    const outcome = requireRecorded(await service.run.respond(response, recordOnce(named)));
    const { decision: made, applied, events } = outcome;
    const { code, reason, message = reason, recovery } = made;
    const sequence = events.at(-1)?.sequence ?? null;
    return reply({
      accepted: applied === "allow",
      code,
      reason,
      message,
      ...omitUndefined({ recovery }),
      sequence,
      decision: made,
    });
  },
});
