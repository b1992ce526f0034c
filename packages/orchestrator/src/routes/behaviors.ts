import { z } from "@hono/zod-openapi";
import { BEHAVIOR_ACTIONS, parseControlFile } from "@bylaw/behavior";
import { omitUndefined } from "@bylaw/kernel";
import { problem } from "../http/problem.ts";
import { requireRecorded } from "../http/require-recorded.ts";
import { defineRoute, reply } from "../http/route.ts";
import { decision, jsonObject, requestId } from "../http/shapes.ts";
import { admitAgent } from "../auth/admission.ts";
import { hostFacts } from "../tasks/host-facts.ts";
import { idempotentRequest, recordOnce } from "../service/idempotency.ts";

/** A wish to steer the workflow. */
export const postBehavior = defineRoute({
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
  async handle(request) {
    const { service, caller, body } = request;
    const { agent, task } = caller;
    await admitAgent(request, { task });
    const { request_id: _, ...given } = body;
    const text = JSON.stringify(given);
    const asked = parseControlFile(text);
    if (asked.run !== null && asked.run !== service.run.run)
      throw problem({
        status: 400,
        code: "BYLAW_BEHAVIOR_INVALID",
        detail: "`run` names another run than this server's",
        fix: "Leave `run` out.",
      });
    const named = await idempotentRequest(request, { route: "behaviors", text });
    const about = omitUndefined({
      reason: asked.reason ?? undefined,
      step: asked.step ?? undefined,
      trigger_agent_id: asked.triggerAgentId ?? undefined,
    });
    const behaved = await service.run.behave(
      { agent, task, action: asked.action, ...about, host: hostFacts(service, caller) },
      recordOnce(named),
    );
    const outcome = requireRecorded(behaved);
    const { directive, code, reason } = outcome.decision;
    return reply({
      applied: outcome.applied === "allow",
      ...omitUndefined({ directive }),
      code,
      reason,
      ignored: asked.ignored,
      sequence: outcome.events.at(-1)?.sequence ?? null,
      decision: outcome.decision,
    });
  },
});
