import { z } from "@hono/zod-openapi";
import { omitUndefined, type JsonObject, type Response as ModelResponse } from "@bylaw/kernel";
import { MAX_ATTEMPTS, agentTurns, turnOf, type Outcome } from "@bylaw/log";
import { judgesResponses, notJudged } from "../consensus/turn-tools.ts";
import { problem } from "../http/problem.ts";
import { requireRecorded } from "../http/require-recorded.ts";
import { defineRoute, reply } from "../http/route.ts";
import { anyJson, decision, requestId } from "../http/shapes.ts";
import { admitAgent } from "../auth/admission.ts";
import { idempotentRequest, recordOnce } from "../service/idempotency.ts";
import type { Service } from "../service/service.ts";

const tool = z.string().min(1).max(2_000);
const count = z.int().min(1).max(1_000_000);

export const responseAnswer = z.object({
  accepted: z.boolean(),
  code: z.string(),
  reason: z.string(),
  message: z.string(),
  recovery: z.enum(["inline", "restart", "end"]).optional(),
  sequence: z.int().nullable(),
  decision,
});

export const postResponse = defineRoute({
  method: "post",
  path: "/responses",
  summary: "Judge a complete response of a model",
  description: "`message` is for the model, and `recovery` says how to continue.",
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
  answers: { 200: { description: "The decision", schema: responseAnswer } },
  async handle(request) {
    const { service, caller, body } = request;
    const { agent, task } = caller;
    await admitAgent(request, { task });
    if (!(await judgesResponses(service.kernel))) throw notJudged();
    const { request_id: _, inline, ...said } = body;
    const given = omitUndefined({ ...said, inline }) as JsonObject;
    const named = await idempotentRequest(request, { route: "responses", said: given });
    const host = inline === undefined ? {} : { host: { inline } };
    const turn = termsOf(service, agent, said);
    const response = { agent, task, ...omitUndefined({ ...said, ...turn }), ...host } as Omit<
      ModelResponse,
      "hook"
    >;
    return reply(answerOf(requireRecorded(await service.run.respond(response, recordOnce(named)))));
  },
});

/** The answer for a response that was decided about. */
export function answerOf({
  decision: made,
  applied,
  events,
}: Pick<Outcome, "decision" | "applied" | "events">): z.output<typeof responseAnswer> {
  const { code, reason, message = reason, recovery } = made;
  return {
    accepted: applied === "allow",
    code,
    reason,
    message,
    ...omitUndefined({ recovery }),
    sequence: events.at(-1)?.sequence ?? null,
    decision: made as unknown as z.output<typeof decision>,
  };
}

/** Keeps an agent from giving itself more attempts, or a new round before its turn has ended well. */
function termsOf(
  { run }: Pick<Service, "run">,
  agent: string,
  {
    round,
    max_attempts,
  }: { readonly round?: number | undefined; readonly max_attempts?: number | undefined },
): { readonly max_attempts: number | undefined } {
  const { round: now, outcome } = turnOf(run.view(agentTurns), agent);
  if (round !== undefined && round > (outcome === "ok" ? now + 1 : Math.max(1, now)))
    throw problem({
      status: 409,
      code: "BYLAW_EVENT_REFUSED",
      detail: `Round ${round} of this agent has not begun`,
      fix: "Leave `round` out. An operator begins rounds with `POST /consensus/round`.",
    });
  return {
    max_attempts: max_attempts === undefined ? undefined : Math.min(max_attempts, MAX_ATTEMPTS),
  };
}
