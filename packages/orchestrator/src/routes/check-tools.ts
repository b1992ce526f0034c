import { z } from "@hono/zod-openapi";
import { omitUndefined } from "@bylaw/kernel";
import { defineRoute, reply, type RouteRequest } from "../http/route.ts";
import { jsonObject, phaseToken, requestId, taskId, toolName } from "../http/shapes.ts";
import { admitBatch, batchCalls, partOf } from "../tools/call-batch.ts";
import { admitAgent } from "../auth/admission.ts";
import { requireRecorded } from "../http/require-recorded.ts";
import { decideCall, previewCall, type Call, type Decided } from "../tools/calls.ts";
import { warningsOf } from "../tools/warnings.ts";
import type { Service } from "../service/service.ts";
import { idempotentRequest } from "../service/idempotency.ts";

const checked = z.object({
  id: z.string().optional(),
  allowed: z.boolean(),
  effect: z.enum(["allow", "ask_user", "deny"]),
  applied: z.enum(["allow", "ask_user", "deny"]),
  code: z.string(),
  reason: z.string(),
  fix: z.string().optional(),
  rule: z
    .object({ name: z.string(), file: z.string().optional(), line: z.int().optional() })
    .optional(),
  warnings: z.array(z.string()),
});

// Without all votes, because they are recorded, and serializing them takes longer than the decision.
function answerOf({ contract }: Service, decided: Decided): z.output<typeof checked> {
  const {
    id,
    applied,
    decision: { effect, code, reason, fix, rule },
  } = decided;
  return {
    ...omitUndefined({ id }),
    allowed: applied === "allow",
    effect,
    applied,
    code,
    reason,
    ...omitUndefined({ fix, rule: rule as z.output<typeof checked>["rule"] }),
    warnings: [...warningsOf(contract, decided)],
  };
}

export const checkTool = defineRoute({
  method: "post",
  path: "/tools/check",
  summary: "Check a call that the agent makes itself",
  description:
    "The decision is recorded. With `record: false`, it is only a preview and allows nothing.",
  tags: ["tools"],
  callers: ["agent"],
  token_in_body: true,
  body: z.strictObject({
    task_id: taskId,
    tool_name: toolName,
    args: jsonObject,
    record: z.boolean().default(true),
    phase_token: phaseToken.optional(),
    request_id: requestId.optional(),
  }),
  answers: { 200: { description: "The decision", schema: checked } },
  async handle(request) {
    const { task_id: task, tool_name: tool, args, record } = request.body;
    await admitAgent(request, { task, tool });
    return reply(answerOf(request.service, await check(request, { tool, args, record })));
  },
});

/** Decides about one call, and records the decision unless it is only a preview. */
async function check(
  { service, caller, request_id }: CheckRequest,
  { record, ...call }: Call & { readonly record: boolean },
): Promise<Decided> {
  const content = { route: "check", ...call, record };
  const named = await idempotentRequest({ service, caller, request_id }, content);
  return record
    ? requireRecorded(await decideCall(service, caller, call, { named }))
    : await previewCall(service, caller, call);
}

type CheckRequest = Pick<
  RouteRequest<"agent", unknown, unknown, unknown>,
  "service" | "caller" | "request_id"
>;

export const checkTools = defineRoute({
  method: "post",
  path: "/tools/check/batch",
  summary: "Check several calls",
  tags: ["tools"],
  callers: ["agent"],
  token_in_body: true,
  body: z.strictObject({
    task_id: taskId,
    calls: batchCalls,
    record: z.boolean().default(true),
    phase_token: phaseToken.optional(),
    request_id: requestId.optional(),
  }),
  answers: {
    200: {
      description:
        "The decisions, in the order of the calls; `id` is the caller's, `call_id` the one in the event log",
      schema: z.object({ decisions: z.array(checked.extend({ call_id: z.string().optional() })) }),
    },
  },
  async handle(request) {
    const { service, caller, request_id, body } = request;
    const { task_id: task, calls, record } = body;
    await admitBatch(request, task, calls.length);
    const decisions = await Promise.all(
      calls.map(async ({ id, tool_name: tool, args }, index) => {
        const part = partOf(request_id, index);
        const decided = await check({ service, caller, request_id: part }, { tool, args, record });
        const { id: call_id, ...answer } = answerOf(service, decided);
        return { ...omitUndefined({ id, call_id }), ...answer };
      }),
    );
    return reply({ decisions });
  },
});
