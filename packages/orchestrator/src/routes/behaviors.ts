import { z } from "@hono/zod-openapi";
import { BEHAVIOR_ACTIONS, parseControlFile } from "@bylaw/behavior";
import { omitUndefined } from "@bylaw/kernel";
import { problem } from "../http/problem.ts";
import { onRecord } from "../http/on-record.ts";
import { defineRoute, reply, type Route } from "../http/route.ts";
import { decision, jsonObject, requestId } from "../http/shapes.ts";
import { admitAgent } from "../auth/admission.ts";
import { hostFor } from "../tasks/host.ts";
import { idempotentRequest } from "../service/idempotency.ts";

/** A wish to steer the workflow. */
export const postBehavior: Route = defineRoute({
  method: "post",
  path: "/behaviors",
  summary: "Ask to steer the workflow",
  description: `The object of a control file: \`action\` is one of ${BEHAVIOR_ACTIONS.join(", ")}, beside \`reason\`, \`triggerAgentId\`, \`step\` and \`run\`. \`ignored\` lists unknown keys.`,
  tags: ["agents"],
  callers: ["agent"],
  body: z.looseObject({ action: z.unknown(), request_id: requestId.optional() }),
  answers: {
    200: {
      description: "The decision",
      schema: z.object({
        applied: z.boolean(),
        directive: jsonObject.optional(),
        code: z.string(),
        reason: z.string(),
        ignored: z.array(z.object({ key: z.string(), near: z.string().optional() })),
        sequence: z.int().nullable(),
        decision,
      }),
    },
  },
  async handle({ service, caller, body: { request_id: _, ...given }, request_id }) {
    const { agent, task } = caller;
    await admitAgent(service, caller, { route: postBehavior, task });
    const text = JSON.stringify(given);
    const request = parseControlFile(text);
    if (request.run !== null && request.run !== service.run.run)
      throw problem({
        status: 400,
        code: "BYLAW_BEHAVIOR_INVALID",
        detail: "`run` names another run than this server's",
        fix: "Leave `run` out.",
      });
    const named = await idempotentRequest(service, {
      agent,
      task,
      request_id,
      content: { route: "behaviors", text },
    });
    const about = omitUndefined({
      reason: request.reason ?? undefined,
      step: request.step ?? undefined,
      trigger_agent_id: request.triggerAgentId ?? undefined,
    });
    const options =
      named === undefined ? {} : { request_id: named.name, documents: named.documents };
    const behaved = await service.run.behave(
      { agent, task, action: request.action, ...about, host: hostFor(service, caller) },
      options,
    );
    const outcome = onRecord(behaved);
    const { directive, code, reason } = outcome.decision;
    return reply({
      applied: outcome.applied === "allow",
      ...omitUndefined({ directive }),
      code,
      reason,
      ignored: request.ignored,
      sequence: outcome.events.at(-1)?.sequence ?? null,
      decision: outcome.decision,
    });
  },
});
