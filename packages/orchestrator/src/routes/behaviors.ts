import { z } from "@hono/zod-openapi";
import { BEHAVIOR_ACTIONS, parseControlFile } from "@bylaw/behavior";
import { omitUndefined, type Json } from "@bylaw/kernel";
import { askOversight, type OversightQuestion } from "../behaviors/oversight.ts";
import { problem } from "../http/problem.ts";
import { requireRecorded } from "../http/require-recorded.ts";
import { defineRoute, reply } from "../http/route.ts";
import { decision, jsonObject, requestId } from "../http/shapes.ts";
import { admitAgent } from "../auth/admission.ts";
import { hostFacts } from "../tasks/host-facts.ts";
import { idempotentRequest, recordOnce } from "../service/idempotency.ts";

const kindOf = (kind: Json | undefined): OversightQuestion["kind"] =>
  kind === "planning" || kind === "review" ? kind : "implementation";

const adviceShape = z
  .object({ risk: z.number().nullable(), advice: z.string(), by: z.string() })
  .openapi({ description: "The advice of an oversight. Without a `risk`, why it failed" });

export const postBehavior = defineRoute({
  method: "post",
  path: "/behaviors",
  summary: "Ask to steer the workflow",
  description: `The content of a control file: \`action\` is one of ${BEHAVIOR_ACTIONS.join(", ")}, beside \`reason\`, \`triggerAgentId\`, \`step\` and \`run\`. \`ignored\` lists unknown keys.`,
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
        fix: z.string().optional(),
        oversight: adviceShape.optional(),
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
    const { directive, code, reason, fix } = outcome.decision;
    const sequence = outcome.events.at(-1)?.sequence ?? null;
    const kind = directive?.action === "vibecheck" ? kindOf(directive["kind"]) : undefined;
    const oversight =
      kind === undefined || sequence === null || outcome.applied !== "allow"
        ? undefined
        : await askOversight(service, { agent, task, kind, reason: asked.reason, sequence });
    return reply({
      applied: outcome.applied === "allow",
      ...omitUndefined({ directive, fix, oversight }),
      code,
      reason,
      ignored: asked.ignored,
      sequence,
      decision: outcome.decision,
    });
  },
});
