import { type Refusal } from "../auth/refusal.ts";
import { z } from "@hono/zod-openapi";
import { currentPhases, phaseOf } from "@bylaw/log";
import { problem } from "../http/problem.ts";
import { onRecord } from "../http/on-record.ts";
import { defineRoute, reply, type Route } from "../http/route.ts";
import { decision, jsonObject, phaseToken, requestId, taskId } from "../http/shapes.ts";
import { admitAgent } from "../auth/admission.ts";
import type { Service } from "../service/service.ts";
import { idempotentRequest } from "../service/idempotency.ts";
import { undeclaredTransition, notHolder, transition } from "../tasks/transitions.ts";

const answered = z.object({
  allowed: z.boolean(),
  new_token: z.string().nullable(),
  token_expires_at: z.string().nullable(),
  phase: z.string().nullable(),
  allowed_tools: z.array(z.string()),
  blockers: z.array(z.string()),
  notes: z.array(z.string()),
  sequence: z.int().nullable(),
  replayed: z.boolean(),
  directives: z.array(jsonObject),
  decision,
});

const toolsIn = ({ contract }: Service, phase: string | null): readonly string[] =>
  contract.phases.find(({ id }) => id === phase)?.allowedTools ?? [];

/** Asks for the next phase. */
export const transitionTask: Route = defineRoute({
  method: "post",
  path: "/tasks/transition",
  summary: "Ask for a transition",
  description:
    "To another phase, or from the last one to `@completed`. A blocked gate is 200 with `allowed: false` and `blockers`; a transition that the contract lacks is 400. The server runs the tests first if the gate needs them.",
  tags: ["tasks"],
  callers: ["agent"],
  token_in_body: true,
  body: z.strictObject({
    task_id: taskId,
    current_phase: z
      .string()
      .max(256)
      .optional()
      .openapi({
        description:
          "The phase that the agent believes in; another than that of the log is refused",
      }),
    target_phase: z.string().min(1).max(256),
    artifacts: jsonObject,
    reason: z.string().max(2_000).optional(),
    phase_token: phaseToken.optional(),
    request_id: requestId.optional(),
  }),
  answers: {
    200: {
      description: "Whether the task moved on, its new token, or the blockers",
      schema: answered,
    },
  },
  async handle({ service, caller, body, request_id }) {
    const { task_id: task, current_phase, target_phase: to, artifacts, reason } = body;
    const content = { route: "transition", to, artifacts, reason: reason ?? null };
    // Whoever did not get the answer has only the token that the transition ended.
    const stands = await admitAgent(
      service,
      caller,
      { route: transitionTask, task },
      { overtaken: true },
    );
    const named = await idempotentRequest(service, {
      agent: caller.agent,
      task,
      request_id,
      content,
    });
    const again = named?.known === true;
    if (!stands && !again) await admitAgent(service, caller, { route: transitionTask, task });
    const phase = phaseOf(service.run.view(currentPhases), task);
    if (!again && current_phase !== undefined && current_phase !== phase) {
      const refusal: Refusal = {
        status: 403,
        code: "token_other_phase",
        credential: "agent",
        agent: caller.agent,
        detail:
          phase === undefined ? "The task is in no phase yet" : `The task is in phase \`${phase}\``,
        fix: "Read the phase of the task from GET /state/snapshot.",
      };
      await service.refused(refusal, { route: transitionTask, task, tool: undefined });
      throw problem(refusal);
    }
    const {
      outcome,
      blockers,
      notes,
      sequence,
      phase: now,
      granted,
      directives,
    } = await transition(service, caller, { to, artifacts, reason, named });
    const { decision: decided, applied, replayed = false } = outcome;
    onRecord(outcome);
    if (applied !== "allow") {
      const [holder, way] = [notHolder(decided), undeclaredTransition(decided)];
      if (holder !== undefined)
        throw problem({
          status: 403,
          code: holder.code,
          detail: holder.reason,
          fix: holder.fix,
          decision: decided,
        });
      if (way !== undefined)
        throw problem({
          status: 400,
          code: way.code,
          detail: way.reason,
          fix: way.fix,
          decision: decided,
        });
      if (decided.code === "invalid_call")
        throw problem({
          status: 400,
          code: "invalid_call",
          detail: decided.reason,
          decision: decided,
        });
    }
    return reply({
      allowed: applied === "allow",
      new_token: granted?.phase_token ?? null,
      token_expires_at: granted?.expires_at ?? null,
      phase: now,
      allowed_tools: toolsIn(service, now),
      blockers,
      notes,
      sequence,
      replayed,
      directives,
      decision: decided,
    });
  },
});
