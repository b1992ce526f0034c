import { z } from "@hono/zod-openapi";
import { omitUndefined } from "@bylaw/kernel";
import { callQuestionId } from "@bylaw/log";
import { Problem } from "../http/problem.ts";
import { requireRecorded } from "../http/require-recorded.ts";
import { defineRoute, reply } from "../http/route.ts";
import { phaseToken, requestId, taskId } from "../http/shapes.ts";
import type { Service } from "../service/service.ts";
import { admitBatch, batchCalls, partOf } from "../tools/call-batch.ts";
import { executeCall } from "../tools/execute-call.ts";
import type { Execution } from "../tools/executor.ts";
import { warningsOf } from "../tools/warnings.ts";

const outcomeShape = z.object({
  id: z.string().optional(),
  call_id: z.string().optional(),
  status: z.enum(["done", "failed", "denied", "pending", "skipped"]),
  result: z.unknown().optional(),
  approval_id: z.string().optional(),
  code: z.string().optional(),
  reason: z.string().optional(),
  fix: z.string().optional(),
  warnings: z.array(z.string()),
});
type CallOutcome = z.output<typeof outcomeShape>;

export const executeTools = defineRoute({
  method: "post",
  path: "/tools/execute/batch",
  summary: "Have the server make several calls",
  description:
    "Makes one after the other, each decided in its turn. The first that is not `done` ends the batch, and the rest is `skipped`.",
  tags: ["tools"],
  callers: ["agent"],
  token_in_body: true,
  body: z.strictObject({
    task_id: taskId,
    calls: batchCalls,
    phase_token: phaseToken.optional(),
    request_id: requestId.optional(),
  }),
  answers: {
    200: {
      description:
        "The outcomes, in the order of the calls; `id` is the caller's, `call_id` the one in the event log",
      schema: z.object({ results: z.array(outcomeShape) }),
    },
  },
  async handle(request) {
    const { service, request_id, signal, body } = request;
    const { task_id: task, calls } = body;
    await admitBatch(request, task, calls.length);
    const results: CallOutcome[] = [];
    let going = true;
    for (const [index, { id, tool_name: tool, args }] of calls.entries()) {
      // No more calls after the client has disconnected, because nobody would read their outcome.
      const outcome: CallOutcome =
        going && !signal.aborted
          ? await outcomeOf(service, () =>
              executeCall({ ...request, request_id: partOf(request_id, index) }, task, {
                tool,
                args,
              }),
            )
          : { status: "skipped", warnings: [] };
      going = outcome.status === "done";
      results.push({ ...omitUndefined({ id }), ...outcome });
    }
    return reply({ results });
  },
});

/** The outcome of one call. A failure of the server itself is thrown, because the batch may be sent again under its request id. */
async function outcomeOf(service: Service, make: () => Promise<Execution>): Promise<CallOutcome> {
  try {
    const made = await make();
    const { id: call_id, decision, applied, executed, asked } = made;
    const { code, reason, fix } = decision;
    if (executed === undefined) {
      const why = { call_id, code, reason, ...omitUndefined({ fix }), warnings: [] };
      if (applied !== "ask_user" || asked === undefined) {
        requireRecorded({ decision });
        return { status: "denied", ...why };
      }
      return { status: "pending", approval_id: callQuestionId(service.run.run, asked), ...why };
    }
    const warnings = [...warningsOf(service.contract, made)];
    if (executed.ok) return { status: "done", call_id, result: executed.result, warnings };
    const failure = omitUndefined({ fix: executed.fix ?? undefined });
    const said = { code: executed.code, reason: executed.message, ...failure };
    return { status: "failed", call_id, ...said, warnings };
  } catch (error) {
    if (!(error instanceof Problem) || error.fields.status >= 500) throw error;
    const { code, detail: reason, fix } = error.fields;
    return { status: "failed", code, reason, ...omitUndefined({ fix }), warnings: [] };
  }
}
