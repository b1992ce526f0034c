import { z } from "@hono/zod-openapi";
import { omitUndefined, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { defineRoute, reply, type CallerOf, type RouteRequest } from "../http/route.ts";
import { jsonObject, seenText, taskId } from "../http/shapes.ts";
import { problem, type Problem } from "../http/problem.ts";
import { CALL_STATES } from "../approvals/calls.ts";
import type { QuestionScope } from "../approvals/question-list.ts";
import type { Answerer } from "../approvals/answers.ts";
import { admitReader } from "../auth/admission.ts";
import { changeOnce } from "../service/change-once.ts";

const id = z
  .string()
  .regex(/^[0-9a-f]{16}$/, "must be 16 hexadecimal digits")
  .openapi({ example: "0a1b2c3d4e5f6071" });
const params = z.strictObject({ id });
const time = z.iso.datetime({ offset: true });
const reason = z.string().max(10_000);
/** The reason of a waiver, which is required. */
const why = seenText(10_000);
const role = seenText(200);

const approval = z
  .looseObject({
    id,
    kind: z.enum(["gate", "call", "pause", "hold"]),
    state: z
      .enum(CALL_STATES)
      .openapi({
        description:
          "`open`: waits for an answer. `approved`: ask again now. `used`: a call has used it. `superseded`: asked again under another id. `settled`: no answer is needed any more. `expired`: nobody answered while the agent's host waited",
      }),
    agent: z.string().nullable(),
    task: z.string().nullable(),
    by: z.string().optional(),
    reason: z.string().optional(),
    expires_at: z.string().nullable().optional(),
  })
  .openapi("Approval", {
    description: "A question to a person. An open one has everything that a person needs to see",
  });

/** The event types that record an answer or a waiver. */
const ANSWERS = [
  "approval_granted",
  "approval_refused",
  "gate_decided",
  "check_waived",
  "checkpoint_resumed",
  "oversight_acknowledged",
];

const recorded = z.object({
  recorded: z.literal(true),
  sequence: z.int(),
  event_type: z.string(),
  details: jsonObject,
});

export const getApprovals = defineRoute({
  method: "get",
  path: "/approvals",
  summary: "List open questions",
  description:
    "Gates by task, then tool calls (oldest first), then pauses and holds by an oversight. An agent sees only those of its task.",
  tags: ["approvals"],
  callers: ["operator", "agent"],
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(100).default(20),
    after: id.optional(),
  }),
  answers: {
    200: {
      description: "A page of open questions",
      schema: z.object({ approvals: z.array(approval), total: z.int(), next: id.optional() }),
    },
  },
  async handle(request) {
    const { approvals } = request.service.operations;
    return reply(await approvals.list.page(await scopeOf(request), request.query));
  },
});

export const getApproval = defineRoute({
  method: "get",
  path: "/approvals/{id}",
  summary: "Read a question and its answer",
  description:
    "With `wait_ms`, the response comes as soon as the question is answered, or after that time.",
  tags: ["approvals"],
  callers: ["operator", "agent"],
  params,
  query: z.strictObject({ wait_ms: z.coerce.number().int().min(0).max(600_000).default(0) }),
  answers: {
    200: { description: "The question and its state", schema: approval },
    404: { description: "No such question" },
  },
  async handle(request) {
    const { service, caller, params, query, signal } = request;
    const scope = await scopeOf(request);
    const { operations, settings } = service;
    const ms = Math.min(query.wait_ms, settings.operate.longest_wait_ms);
    const who = `wait ${caller.kind} ${caller.kind === "agent" ? caller.agent : caller.name}`;
    const leave = ms > 0 ? operations.streams.enter(who) : () => {};
    if (leave === undefined) throw tooMany();
    try {
      const found = await operations.approvals.list.get(params.id, scope, { ms, signal });
      if (found === undefined) throw unknown(params.id);
      return reply(found);
    } finally {
      leave();
    }
  },
});

export const postApproval = defineRoute({
  method: "post",
  path: "/approvals/{id}",
  summary: "Answer a question",
  description:
    "`yes` or `no` to exactly the content with this id, or `waive` to waive a check of its gate for a while. The credential identifies the person.",
  tags: ["approvals"],
  callers: ["operator"],
  params,
  body: z.discriminatedUnion("answer", [
    z.strictObject({
      answer: z.enum(["yes", "no"]),
      role: role.optional(),
      reason: reason.optional(),
      expires_at: time.optional(),
    }),
    z.strictObject({
      answer: z.literal("waive"),
      check: role,
      role: role.optional(),
      reason: why,
      expires_at: time,
    }),
  ]),
  answers: {
    200: { description: "The recorded event", schema: recorded },
    403: { description: "This operator may not answer it" },
    404: { description: "No open question has this id" },
    409: { description: "The answer does not fit the question, or someone else was first" },
  },
  async handle(request) {
    const { service, caller, params, body } = request;
    const { approvals } = service.operations;
    const content = { route: "approvals", id: params.id, body: body as JsonObject };
    const event = await changeOnce(request, { content, types: ANSWERS }, async (run) => {
      if (body.answer !== "waive")
        return approvals.answer(params.id, answererOf(caller), body, run);
      const found = await approvals.list.get(params.id, {});
      if (found === undefined || !("gate" in found)) throw unknown(params.id);
      const waiver = { ...body, task: found.task, gate: found.gate };
      return approvals.waive(answererOf(caller), waiver, run);
    });
    return recordedReply(event);
  },
});

export const postWaiver = defineRoute({
  method: "post",
  path: "/waivers",
  summary: "Waive a check of a gate for a while",
  description:
    "For a check that blocks a gate. `POST /approvals/{id}` does the same for a gate that waits for a person.",
  tags: ["approvals"],
  callers: ["operator"],
  body: z.strictObject({
    task_id: taskId,
    gate: role,
    check: role,
    role: role.optional(),
    reason: why,
    expires_at: time,
  }),
  answers: {
    200: { description: "The recorded event", schema: recorded },
    409: { description: "This check cannot be waived like this" },
  },
  async handle(request) {
    const { service, caller, body } = request;
    const { task_id: task, ...waived } = body;
    const waiver = { ...waived, task };
    const content = { route: "waivers", waiver: waiver as JsonObject };
    const event = await changeOnce(request, { content, types: ANSWERS }, (run) =>
      service.operations.approvals.waive(answererOf(caller), waiver, run),
    );
    return recordedReply(event);
  },
});

export const clearMark = defineRoute({
  method: "post",
  path: "/marks/clear",
  summary: "Clear a mark of the policies",
  description: "Afterwards it is as if no call had set it.",
  tags: ["approvals"],
  callers: ["operator"],
  body: z.strictObject({ mark: role }),
  answers: {
    200: { description: "The recorded event", schema: recorded },
    409: { description: "No policy defines this mark" },
  },
  async handle(request) {
    const { service, caller, body } = request;
    const content = { route: "marks", ...body };
    const event = await changeOnce(request, { content, types: ["mark_cleared"] }, (run) =>
      service.operations.approvals.clearMark(answererOf(caller), body.mark, run),
    );
    return recordedReply(event);
  },
});

const answererOf = ({ name, roles }: CallerOf<"operator">): Answerer => ({
  by: name,
  ...omitUndefined({ roles }),
});

const recordedReply = ({ sequence, event_type, details }: LogEvent) =>
  reply({ recorded: true, sequence, event_type, details });

async function scopeOf(
  request: RouteRequest<"operator" | "agent", unknown, unknown, unknown>,
): Promise<QuestionScope> {
  const { service, route, caller } = request;
  if (caller.kind === "operator") return {};
  await admitReader({ service, route, caller });
  return { task: caller.task };
}

const tooMany = (): Problem =>
  problem({
    status: 429,
    code: "BYLAW_RATE_EXCEEDED",
    detail: "Too many requests of this caller wait for an answer",
    fix: "Wait for each answer with one request.",
    headers: { "retry-after": "5" },
  });

const unknown = (wanted: string): Problem =>
  problem({
    status: 404,
    code: "BYLAW_APPROVAL_MISSING",
    detail: `No question has the id \`${wanted}\``,
    fix: "It may have been answered or asked again. List what is open.",
  });
