import { z } from "@hono/zod-openapi";
import { admitAgent, type AgentRequest } from "../auth/admission.ts";
import { badRequest } from "../http/problem.ts";
import { callId, jsonObject, toolName } from "../http/shapes.ts";

/** Calls that are sent together. `id` is the caller's own. */
export const batchCalls = z
  .array(z.strictObject({ id: callId.optional(), tool_name: toolName, args: jsonObject }))
  .min(1);

/** Admits an agent that sends several calls at once. Throws the problem of a batch that is too large. */
export async function admitBatch(
  request: AgentRequest,
  task: string,
  calls: number,
): Promise<void> {
  const { service, caller } = request;
  const { batch } = service.settings.limits;
  if (calls > batch)
    throw badRequest(
      `A batch may have at most ${batch} calls, and this one has ${calls}`,
      "Send several batches.",
    );
  // Each call of a batch counts as a request, and one has been counted already.
  if (calls > 1) service.limit?.(caller.agent, calls - 1);
  await admitAgent(request, { task });
}

/** The request id of one call of a batch. */
export const partOf = (request_id: string | undefined, index: number): string | undefined =>
  request_id === undefined ? undefined : `${request_id}:${index}`;
