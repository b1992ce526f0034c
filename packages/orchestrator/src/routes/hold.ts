import { z } from "@hono/zod-openapi";
import { omitUndefined, type JsonObject } from "@bylaw/kernel";
import { treeGet } from "@bylaw/log";
import { taskBoard, type EndOptions, type Hold } from "@bylaw/plugin-tasks";
import type { AgentCaller } from "../auth/caller.ts";
import { problem } from "../http/problem.ts";
import { defineRoute, reply, type RouteRequest } from "../http/route.ts";
import { phaseToken, requestId, seenText, taskId } from "../http/shapes.ts";
import { admitAgent } from "../auth/admission.ts";
import { idempotentRequest, recordOnce } from "../service/idempotency.ts";
import type { Service } from "../service/service.ts";

const ended = z.object({ task_id: z.string(), status: z.string() });

/** The claim of an agent. If its token has no fence, the claim is the one in the log. */
const holdOf = ({ run }: Service, { task, agent, fence }: AgentCaller): Hold => ({
  task,
  agent,
  fence: fence ?? treeGet(run.view(taskBoard).tasks, task)?.fence ?? 0,
});

export const heartbeat = defineRoute({
  method: "post",
  path: "/tasks/heartbeat",
  summary: "Keep a claim",
  description: "Extends the lease. The token is a new one if the old one ends soon.",
  tags: ["tasks"],
  callers: ["agent"],
  token_in_body: true,
  body: z.strictObject({ task_id: taskId, phase_token: phaseToken.optional() }),
  answers: {
    200: {
      description: "The end of the lease, and the token",
      schema: z.object({
        lease_until: z.string(),
        phase_token: z.string(),
        phase: z.string().nullable(),
        token_expires_at: z.string(),
      }),
    },
  },
  async handle(request) {
    const { service, caller } = request;
    await admitAgent(request, { task: request.body.task_id });
    const { lease_until } = await service.tasks.heartbeat(holdOf(service, caller));
    const granted = await service.tokens.tokenFor(caller.task, caller.agent);
    if (granted === undefined)
      throw problem({
        status: 409,
        code: "BYLAW_EVENT_REFUSED",
        detail: "This agent does not hold the task any more",
        fix: "Claim a task.",
      });
    const { phase_token, phase, expires_at } = granted;
    return reply({ lease_until, phase_token, phase, token_expires_at: expires_at });
  },
});

export const release = defineRoute({
  method: "post",
  path: "/tasks/release",
  summary: "Give a task back",
  description: "It stays in its phase for the next agent.",
  tags: ["tasks"],
  callers: ["agent"],
  token_in_body: true,
  body: z.strictObject({
    task_id: taskId,
    reason: z.string().max(2_000).optional(),
    phase_token: phaseToken.optional(),
    request_id: requestId.optional(),
  }),
  answers: { 200: { description: "The task is available", schema: ended } },
  async handle(request) {
    const { task_id, reason } = request.body;
    const content = { route: "release", reason: reason ?? null };
    await endOnce(request, content, (hold, options) =>
      request.service.tasks.release({ ...hold, ...omitUndefined({ reason }) }, options),
    );
    return reply({ task_id, status: "ready" });
  },
});

export const fail = defineRoute({
  method: "post",
  path: "/tasks/fail",
  summary: "Give a task up",
  tags: ["tasks"],
  callers: ["agent"],
  token_in_body: true,
  body: z.strictObject({
    task_id: taskId,
    reason: seenText(2_000),
    phase_token: phaseToken.optional(),
    request_id: requestId.optional(),
  }),
  answers: { 200: { description: "The task waits for a person", schema: ended } },
  async handle(request) {
    const { task_id, reason } = request.body;
    await endOnce(request, { route: "fail", reason }, (hold, options) =>
      request.service.tasks.fail({ ...hold, reason }, options),
    );
    return reply({ task_id, status: "failed" });
  },
});

/** Ends a claim, once. An agent that missed the answer has only the token that ended with the claim, and may repeat the request with it. */
async function endOnce(
  request: RouteRequest<"agent", unknown, unknown, { readonly task_id: string }>,
  content: JsonObject,
  end: (hold: Hold, options: EndOptions) => Promise<unknown>,
): Promise<void> {
  const { task_id: task } = request.body;
  const stands = await admitAgent(request, { task, overtaken: true });
  const hold = holdOf(request.service, request.caller);
  // Looked up after the token, so that the end of the claim in between is known.
  const named = await idempotentRequest(request, { ...content, fence: hold.fence });
  if (named?.known === true) return;
  if (!stands) await admitAgent(request, { task });
  await end(hold, recordOnce(named));
}
