import { z } from "@hono/zod-openapi";
import { callQuestionId, currentPhases, phaseOf } from "@bylaw/log";
import { problem } from "../http/problem.ts";
import { defineRoute, reply } from "../http/route.ts";
import {
  anyJson,
  decision,
  callId,
  jsonObject,
  phaseToken,
  requestId,
  taskId,
  toolName,
} from "../http/shapes.ts";
import { admitAgent } from "../auth/admission.ts";
import { requireRecorded } from "../http/require-recorded.ts";
import { OWN_CALL } from "../tools/calls.ts";
import { warningsOf } from "../tools/warnings.ts";
import { executeCall } from "../tools/execute-call.ts";
import { idempotentRequest } from "../service/idempotency.ts";

export const executeTool = defineRoute({
  method: "post",
  path: "/tools/execute",
  summary: "Have the server make a call",
  description:
    "A denied call is 403 with the decision. If a person must approve it, the answer is 202: wait for the approval, then make the call again under a new request id.",
  tags: ["tools"],
  callers: ["agent"],
  token_in_body: true,
  body: z.strictObject({
    task_id: taskId,
    tool_name: toolName,
    args: jsonObject,
    phase_token: phaseToken.optional(),
    request_id: requestId.optional(),
  }),
  answers: {
    200: {
      description: "The result of the tool",
      schema: z.object({
        id: z.string(),
        result: z.unknown(),
        logged: z.literal(true),
        warnings: z.array(z.string()),
        decision,
      }),
    },
    202: {
      description: "A person is asked",
      schema: z.object({ approval_id: z.string(), status: z.literal("pending"), decision }),
    },
  },
  async handle(request) {
    const { service, body } = request;
    const { task_id: task, tool_name: tool, args } = body;
    const made = await executeCall(request, task, { tool, args });
    const { id, decision: decided, applied, executed, asked } = made;
    if (applied === "ask_user" && asked !== undefined) {
      const approval_id = callQuestionId(service.run.run, asked);
      return reply({ approval_id, status: "pending", decision: decided }, { status: 202 });
    }
    if (executed === undefined) {
      requireRecorded({ decision: decided });
      const status = decided.code === "invalid_call" ? 400 : 403;
      throw problem({
        status,
        code: decided.code,
        detail: decided.reason,
        fix: decided.fix,
        decision: decided,
      });
    }
    if (!executed.ok)
      throw problem({
        status: 400,
        code: executed.code,
        detail: `Tool execution failed: ${executed.message}`,
        fix: executed.fix ?? undefined,
        decision: decided,
      });
    const warnings = warningsOf(service.contract, made);
    return reply({ id, result: executed.result, logged: true, warnings, decision: decided });
  },
});

export const toolResult = defineRoute({
  method: "post",
  path: "/tools/result",
  summary: "Report the result of a call",
  description:
    "For a call that `/tools/check` allowed and the agent made itself: once, while it holds the task, for at least the last 128 calls.",
  tags: ["tools"],
  callers: ["agent"],
  token_in_body: true,
  body: z.strictObject({
    task_id: taskId,
    id: callId,
    tool_name: toolName,
    ok: z.boolean(),
    result: anyJson.optional(),
    phase_token: phaseToken.optional(),
    request_id: requestId.optional(),
  }),
  answers: {
    200: { description: "The result is recorded", schema: z.object({ logged: z.literal(true) }) },
  },
  async handle(request) {
    const { service, caller, body } = request;
    const { task_id: task, id, tool_name: tool, ok, result = null } = body;
    await admitAgent(request, { task, tool });
    const content = { route: "result", id, tool, ok, result };
    const named = await idempotentRequest(request, content);
    if (id.startsWith(OWN_CALL))
      throw problem({
        status: 409,
        code: "BYLAW_EVENT_REFUSED",
        detail: "The server made this call and has recorded its result",
        fix: "Report results of your own calls only.",
      });
    if (named?.known === true) return reply({ logged: true });
    try {
      const documents = named?.documents ?? [];
      const said = { id, tool, agent: caller.agent, task, ok, result, reported: true };
      await service.run.toolResult(said, { documents });
    } catch (error) {
      // The same request may have been faster, possibly on another node.
      if ((await idempotentRequest(request, content))?.known !== true) throw error;
    }
    return reply({ logged: true });
  },
});

export const listTools = defineRoute({
  method: "get",
  path: "/tools",
  summary: "List the tools, and whether the phase allows them",
  tags: ["tools"],
  callers: ["agent"],
  answers: {
    200: {
      description: "The tools",
      schema: z.object({
        phase: z.string().nullable(),
        tools: z.array(
          z.object({
            name: z.string(),
            description: z.string(),
            input_schema: jsonObject,
            annotations: jsonObject,
            allowed: z.boolean(),
          }),
        ),
      }),
    },
  },
  async handle(request) {
    const { service, caller } = request;
    await admitAgent(request, { task: caller.task });
    const phase = phaseOf(service.run.view(currentPhases), caller.task) ?? null;
    const { allowedTools = [], forbiddenTools = [] } =
      service.contract.phases.find(({ id }) => id === phase) ?? {};
    const tools = [...service.tools.values()].map(({ name, description, input, annotations }) => ({
      name,
      description,
      input_schema: input,
      annotations: annotations as never,
      allowed: allowedTools.includes(name) && !forbiddenTools.includes(name),
    }));
    return reply({ phase, tools });
  },
});
