import { z } from "@hono/zod-openapi";
import type { Decision } from "@bylaw/kernel";
import { currentPhases, phaseOf } from "@bylaw/log";
import { problem } from "../http/problem.ts";
import { requireRecorded } from "../http/require-recorded.ts";
import { defineRoute, reply, type RouteRequest } from "../http/route.ts";
import { decision, jsonObject, phaseToken, requestId, taskId } from "../http/shapes.ts";
import { admitAgent } from "../auth/admission.ts";
import { guideTo } from "../behaviors/guide-to.ts";
import type { Service } from "../service/service.ts";
import { idempotentRequest } from "../service/idempotency.ts";
import { guideShape } from "./contract.ts";
import { transitionWarnings } from "../tools/warnings.ts";
import { undeclaredTransition, notHolder, transition } from "../tasks/transitions.ts";

const answered = z.object({
  allowed: z.boolean(),
  new_token: z.string().nullable(),
  token_expires_at: z.string().nullable(),
  phase: z.string().nullable(),
  allowed_tools: z.array(z.string()),
  blockers: z.array(z.string()),
  blocked_by: z.array(
    z.object({
      code: z.string(),
      reason: z.string(),
      fix: z.string().optional(),
      checks: z.array(z.string()),
    }),
  ),
  test_run: z.union([
    z.object({
      exit_code: z.int().nullable(),
      counts: z.union([jsonObject, z.null()]),
      failed: z.array(z.string()),
      output: z.string(),
    }),
    z.null(),
  ]),
  notes: z.array(z.string()),
  warnings: z.array(z.string()),
  sequence: z.int().nullable(),
  replayed: z.boolean(),
  directives: z.array(jsonObject),
  decision,
  ...guideShape,
});

const toolsIn = ({ contract }: Service, phase: string | null): readonly string[] =>
  contract.phases.find(({ id }) => id === phase)?.allowedTools ?? [];

export const transitionTask = defineRoute({
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
          "The phase in which the agent believes the task is. The request is refused if the log has another",
      }),
    target_phase: z.string().min(1).max(256),
    artifacts: jsonObject,
    reason: z.string().max(2_000).optional(),
    phase_token: phaseToken.optional(),
    request_id: requestId.optional(),
  }),
  answers: {
    200: {
      description: "Whether the task moved on, with its new token or the blockers",
      schema: answered,
    },
  },
  async handle(request) {
    const { service, caller, body } = request;
    const { task_id: task, target_phase: to, artifacts, reason } = body;
    const content = { route: "transition", to, artifacts, reason: reason ?? null };
    // An agent that missed the answer has only the token that the transition ended.
    const stands = await admitAgent(request, { task, overtaken: true });
    const named = await idempotentRequest(request, content);
    const again = named?.known === true;
    if (!stands && !again) await admitAgent(request, { task });
    if (!again) await checkPhase(request);
    const made = await transition(service, caller, { to, artifacts, reason, named });
    const { outcome, blockers, test_run, notes, sequence, granted, directives } = made;
    const { phase: now } = made;
    const { decision: decided, applied, replayed = false } = outcome;
    requireRecorded(outcome);
    if (applied !== "allow") checkRequested(decided);
    return reply({
      allowed: applied === "allow",
      new_token: granted?.phase_token ?? null,
      token_expires_at: granted?.expires_at ?? null,
      phase: now,
      allowed_tools: toolsIn(service, now),
      blockers: blockers.map(({ reason: why }) => why),
      blocked_by: blockers,
      test_run,
      notes,
      warnings: [...transitionWarnings(service.contract, outcome)],
      sequence,
      replayed,
      directives,
      decision: decided,
      ...guideTo(service, now, { agent: caller.agent, task }),
    });
  },
});

/** Refuses an agent that believes its task is in another phase than the log has. */
async function checkPhase({
  service,
  caller,
  route,
  body: { task_id: task, current_phase },
}: RouteRequest<
  "agent",
  unknown,
  unknown,
  { readonly task_id: string; readonly current_phase?: string | undefined }
>): Promise<void> {
  const phase = phaseOf(service.run.view(currentPhases), task);
  if (current_phase === undefined || current_phase === phase) return;
  const detail =
    phase === undefined ? "The task is in no phase yet" : `The task is in phase \`${phase}\``;
  const fix = "Read the phase of the task from GET /state/snapshot.";
  const refusal = {
    status: 403,
    code: "token_other_phase",
    credential: "agent",
    detail,
    fix,
  } as const;
  throw await service.refused({ ...refusal, agent: caller.agent }, { route, task });
}

/** Throws the problem of a request that is wrong by itself, whatever the state of the work. */
function checkRequested(decision: Decision): void {
  const [holder, edge] = [notHolder(decision), undeclaredTransition(decision)];
  const fault = holder ?? edge ?? (decision.code === "invalid_call" ? decision : undefined);
  if (fault === undefined) return;
  const { code, reason: detail, fix } = fault;
  const status = holder === undefined ? 400 : 403;
  throw problem({ status, code, detail, fix, decision });
}
