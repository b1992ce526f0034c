import { type Decided } from "../tools/execution.ts";
import { z } from "@hono/zod-openapi";
import { omitUndefined } from "@bylaw/kernel";
import { problem } from "../http/problem.ts";
import { defineRoute, reply, type Route } from "../http/route.ts";
import { callId, jsonObject, phaseToken, requestId, taskId, toolName } from "../http/shapes.ts";
import { admitAgent } from "../auth/admission.ts";
import { onRecord } from "../http/on-record.ts";
import { decideCall, previewCall } from "../tools/calls.ts";
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
});

// Not all votes: they are on record, and to write them out takes longer than to decide.
function answerOf({
  id,
  decision: { effect, code, reason, fix, rule },
  applied,
}: Decided): z.output<typeof checked> {
  return {
    ...(id === undefined ? {} : { id }),
    allowed: applied === "allow",
    effect,
    applied,
    code,
    reason,
    ...omitUndefined({ fix, rule: rule as z.output<typeof checked>["rule"] }),
  };
}

/** Decides about a call that the agent makes itself. */
export const checkTool: Route = defineRoute({
  method: "post",
  path: "/tools/check",
  summary: "Check a call that the agent makes itself",
  description: "The decision is recorded. With `record: false` it is not, and then allows nothing.",
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
  async handle({ service, caller, body, request_id }) {
    const { task_id: task, tool_name: tool, args, record } = body;
    await admitAgent(service, caller, { route: checkTool, task, tool });
    const content = { route: "check", tool, args, record };
    const named = await idempotentRequest(service, {
      agent: caller.agent,
      task,
      request_id,
      content,
    });
    return reply(
      answerOf(
        record
          ? onRecord(await decideCall(service, caller, { tool, args }, { named }))
          : await previewCall(service, caller, { tool, args }),
      ),
    );
  },
});

/** Decides about several calls. */
export const checkTools: Route = defineRoute({
  method: "post",
  path: "/tools/check/batch",
  summary: "Check several calls",
  tags: ["tools"],
  callers: ["agent"],
  token_in_body: true,
  body: z.strictObject({
    task_id: taskId,
    calls: z
      .array(z.strictObject({ id: callId.optional(), tool_name: toolName, args: jsonObject }))
      .min(1),
    record: z.boolean().default(true),
    phase_token: phaseToken.optional(),
    request_id: requestId.optional(),
  }),
  answers: {
    200: {
      description:
        "The decisions, in the order of the calls; `id` is the caller's, `call_id` that of the record",
      schema: z.object({ decisions: z.array(checked.extend({ call_id: z.string().optional() })) }),
    },
  },
  async handle({ service, caller, body: { task_id: task, calls, record }, request_id }) {
    const { batch } = service.settings.limits;
    if (calls.length > batch)
      throw problem({
        status: 400,
        code: "BYLAW_REQUEST_INVALID",
        detail: `A batch may have at most ${batch} calls, and this one has ${calls.length}`,
        fix: "Send several batches.",
      });
    // As much as so many requests, of which one is counted.
    if (calls.length > 1) service.limit?.(caller.agent, calls.length - 1);
    await admitAgent(service, caller, { route: checkTools, task });
    const decisions = await Promise.all(
      calls.map(async ({ id, tool_name: tool, args }, index) => {
        const part = request_id === undefined ? undefined : `${request_id}:${index}`;
        const content = { route: "check", tool, args, record };
        const named = await idempotentRequest(service, {
          agent: caller.agent,
          task,
          request_id: part,
          content,
        });
        const decided = record
          ? onRecord(await decideCall(service, caller, { tool, args }, { named }))
          : await previewCall(service, caller, { tool, args });
        const { id: call_id, ...answer } = answerOf(decided);
        return {
          ...(id === undefined ? {} : { id }),
          ...(call_id === undefined ? {} : { call_id }),
          ...answer,
        };
      }),
    );
    return reply({ decisions });
  },
});
