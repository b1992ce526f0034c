import { z } from "@hono/zod-openapi";
import { present } from "@bylaw/kernel";
import { currentPhases, phaseOf } from "@bylaw/log";
import { callQuestionId } from "../approvals/index.ts";
import { problem } from "../http/problem.ts";
import { defineRoute, reply, type Route } from "../http/route.ts";
import { anyJson, decision, jsonObject, phaseToken, requestId, taskId } from "../http/shapes.ts";
import { admitAgent } from "../service/admission.ts";
import { OWN_CALL, decideCall, weighCall, type Decided } from "../service/calls.ts";
import { namedRequest, type NamedRequest } from "../service/requests.ts";

const toolName = z.string().min(1).max(256);
const callId = z.string().min(1).max(256);

const checked = z.object({
  id: z.string().optional(),
  allowed: z.boolean(),
  effect: z.enum(["allow", "ask_user", "deny"]),
  applied: z.enum(["allow", "ask_user", "deny"]),
  code: z.string(),
  reason: z.string(),
  fix: z.string().optional(),
  rule: z.object({ name: z.string(), file: z.string().optional(), line: z.int().optional() }).optional(),
});

// Not all votes: they are on record, and to write them out takes longer than to decide.
function answerOf({ id, decision: { effect, code, reason, fix, rule }, applied }: Decided): z.output<typeof checked> {
  return {
    ...(id === undefined ? {} : { id }),
    allowed: applied === "allow",
    effect,
    applied,
    code,
    reason,
    ...present({ fix, rule: rule as z.output<typeof checked>["rule"] }),
  };
}

/** Decides about a call that the agent makes itself. */
export const checkTool: Route = defineRoute({
  method: "post",
  path: "/tools/check",
  summary: "May this call be made?",
  description: "Decides and records; `record: false` decides only, and allows nothing that was not recorded.",
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
  answers: { 200: { description: "What was decided", schema: checked } },
  async handle({ service, caller, body, request_id }) {
    const { task_id: task, tool_name: tool, args, record } = body;
    const named = await namedRequest(service, {
      agent: caller.agent,
      task: caller.task,
      request_id,
      content: { route: "check", tool, args, record },
    });
    await admitAgent(service, caller, { route: checkTool, task, tool });
    return reply(
      answerOf(
        record ? recorded(await decideCall(service, caller, { tool, args }, { named })) : await weighCall(service, caller, { tool, args }),
      ),
    );
  },
});

/** What was decided, where it is on record. */
function recorded<D extends Decided>(decided: D): D {
  const { decision: made } = decided;
  if (made.code !== "engine_absent") return decided;
  throw problem({ status: 503, code: "engine_absent", detail: made.reason, decision: made, headers: { "retry-after": "1" } });
}

/** Decides about several calls. */
export const checkTools: Route = defineRoute({
  method: "post",
  path: "/tools/check/batch",
  summary: "May these calls be made?",
  tags: ["tools"],
  callers: ["agent"],
  token_in_body: true,
  body: z.strictObject({
    task_id: taskId,
    calls: z.array(z.strictObject({ id: callId.optional(), tool_name: toolName, args: jsonObject })).min(1),
    record: z.boolean().default(true),
    phase_token: phaseToken.optional(),
    request_id: requestId.optional(),
  }),
  answers: {
    200: {
      description: "What was decided, in the order of the calls; `id` is the caller's, `call_id` that of the record",
      schema: z.object({ decisions: z.array(checked.extend({ call_id: z.string().optional() })) }),
    },
  },
  async handle({ service, caller, body: { task_id: task, calls, record }, request_id }) {
    const { batch } = service.settings.limits;
    if (calls.length > batch)
      throw problem({
        status: 400,
        code: "BYLAW_REQUEST_INVALID",
        detail: `Unexpected batch of ${calls.length} calls, expected at most ${batch}`,
        fix: "send several batches",
      });
    // As much as so many requests, of which one is counted.
    if (calls.length > 1) service.limit?.(caller.agent, calls.length - 1);
    await admitAgent(service, caller, { route: checkTools, task });
    const decisions = await Promise.all(
      calls.map(async ({ id, tool_name: tool, args }, index) => {
        const part = request_id === undefined ? undefined : `${request_id}:${index}`;
        const content = { route: "check", tool, args, record };
        const named = await namedRequest(service, { agent: caller.agent, task, request_id: part, content });
        const decided = record
          ? recorded(await decideCall(service, caller, { tool, args }, { named }))
          : await weighCall(service, caller, { tool, args });
        const { id: call_id, ...answer } = answerOf(decided);
        return { ...(id === undefined ? {} : { id }), ...(call_id === undefined ? {} : { call_id }), ...answer };
      }),
    );
    return reply({ decisions });
  },
});

/** Decides about a call, makes it, and records both. */
export const executeTool: Route = defineRoute({
  method: "post",
  path: "/tools/execute",
  summary: "Make a call",
  description:
    "A denied call is 403 with the decision. What a person has to answer is 202: ask for the answer, and after a yes make the call again under a new request id.",
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
      description: "What the tool said",
      schema: z.object({ id: z.string(), result: z.unknown(), logged: z.literal(true), decision }),
    },
    202: { description: "A person is asked", schema: z.object({ approval_id: z.string(), status: z.literal("pending"), decision }) },
  },
  async handle({ service, caller, body, request_id }) {
    const { task_id: task, tool_name: tool, args } = body;
    const about = { agent: caller.agent, task: caller.task, request_id, content: { route: "execute", tool, args } };
    const named = await namedRequest(service, about);
    const admit = (): boolean | Promise<boolean> => admitAgent(service, caller, { route: executeTool, task, tool });
    await admit();
    const again = async (): Promise<NamedRequest | undefined> => {
      await admit();
      return namedRequest(service, about);
    };
    const {
      id,
      decision: decided,
      applied,
      executed,
      asked,
    } = await service.executor.execute({ caller, call: { tool, args }, named, again });
    if (applied === "ask_user" && asked !== undefined)
      return reply({ approval_id: callQuestionId(service.run.run, asked), status: "pending", decision: decided }, { status: 202 });
    if (executed === undefined) {
      const status = decided.code === "engine_absent" ? 503 : decided.code === "invalid_call" ? 400 : 403;
      throw problem({ status, code: decided.code, detail: decided.reason, fix: decided.fix, decision: decided });
    }
    if (!executed.ok)
      throw problem({
        status: 400,
        code: executed.code,
        detail: `Tool execution failed: ${executed.message}`,
        fix: executed.fix ?? undefined,
        decision: decided,
      });
    return reply({ id, result: executed.result, logged: true, decision: decided });
  },
});

/** Puts on record what came of a call that the agent made itself. */
export const toolResult: Route = defineRoute({
  method: "post",
  path: "/tools/result",
  summary: "What came of a call",
  description:
    "For calls that were allowed by `/tools/check` and made elsewhere, once for each of the last 128 at least, while the agent has the task. It is what the agent says.",
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
  answers: { 200: { description: "It is on record", schema: z.object({ logged: z.literal(true) }) } },
  async handle({ service, caller, body: { task_id: task, id, tool_name: tool, ok, result = null }, request_id }) {
    const about = { agent: caller.agent, task: caller.task, request_id, content: { route: "result", id, tool, ok, result } };
    const named = await namedRequest(service, about);
    await admitAgent(service, caller, { route: toolResult, task, tool });
    if (id.startsWith(OWN_CALL))
      throw problem({
        ...{
          status: 409,
          code: "BYLAW_EVENT_REFUSED",
          detail: "Unexpected result of a call that the server made, expected one of your own",
        },
        fix: "what it came to is on record",
      });
    if (named?.known === true) return reply({ logged: true });
    try {
      const documents = named?.documents ?? [];
      await service.run.toolResult({ id, tool, agent: caller.agent, task, ok, result }, { documents });
    } catch (error) {
      // The same request may have been quicker, at another node too.
      if ((await namedRequest(service, about))?.known !== true) throw error;
    }
    return reply({ logged: true });
  },
});

/** What there is to call. */
export const listTools: Route = defineRoute({
  method: "get",
  path: "/tools",
  summary: "The tools, and which of them the phase allows",
  tags: ["tools"],
  callers: ["agent"],
  answers: {
    200: {
      description: "The tools",
      schema: z.object({
        phase: z.string().nullable(),
        tools: z.array(
          z.object({ name: z.string(), description: z.string(), input_schema: jsonObject, annotations: jsonObject, allowed: z.boolean() }),
        ),
      }),
    },
  },
  async handle({ service, caller }) {
    await admitAgent(service, caller, { route: listTools, task: caller.task });
    const phase = phaseOf(service.run.view(currentPhases), caller.task) ?? null;
    const { allowedTools = [], forbiddenTools = [] } = service.contract.phases.find(({ id }) => id === phase) ?? {};
    const tools = [...service.tools.values()].map(({ name, description, input, annotations }) => ({
      ...{ name, description, input_schema: input, annotations: annotations as never },
      allowed: allowedTools.includes(name) && !forbiddenTools.includes(name),
    }));
    return reply({ phase, tools });
  },
});
