import { z } from "@hono/zod-openapi";
import { currentPhases, phaseOf } from "@bylaw/log";
import type { Refusal } from "../auth/authenticate.ts";
import { problem } from "../http/problem.ts";
import { defineRoute, reply, type Route } from "../http/route.ts";
import { decision, jsonObject, phaseToken, requestId, taskId } from "../http/shapes.ts";
import { admitAgent } from "../service/admission.ts";
import type { Service } from "../service/service.ts";
import { namedRequest } from "../service/requests.ts";
import { noWay, notHolder, transition } from "../service/transitions.ts";

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
    "Into another phase, or to `@completed` out of the last one. What is in the way is told with 200 and `allowed: false`; a way that the contract does not have is 400. Where the way is judged on a test run, the tests are run before the answer.",
  tags: ["tasks"],
  callers: ["agent"],
  token_in_body: true,
  body: z.strictObject({
    task_id: taskId,
    current_phase: z
      .string()
      .max(256)
      .optional()
      .openapi({ description: "The phase that the agent believes in; another than that of the log is refused" }),
    target_phase: z.string().min(1).max(256),
    artifacts: jsonObject,
    reason: z.string().max(2_000).optional(),
    phase_token: phaseToken.optional(),
    request_id: requestId.optional(),
  }),
  answers: { 200: { description: "Whether the task went on, and what is in the way", schema: answered } },
  async handle({ service, caller, body, request_id }) {
    const { task_id: task, current_phase, target_phase: to, artifacts, reason } = body;
    const content = { route: "transition", to, artifacts, reason: reason ?? null };
    const named = await namedRequest(service, { agent: caller.agent, task: caller.task, request_id, content });
    // Whoever did not get the answer has only the token that the transition ended.
    const again = named?.known === true;
    await admitAgent(service, caller, { route: transitionTask, task }, { overtaken: again });
    const phase = phaseOf(service.run.view(currentPhases), task);
    if (!again && current_phase !== undefined && current_phase !== phase) {
      const refusal: Refusal = {
        ...{ status: 403, code: "token_other_phase", credential: "agent", agent: caller.agent },
        detail: `Unexpected \`current_phase\`, expected \`${phase ?? "none"}\`, which the task is in`,
        fix: "read where the task is from GET /state/snapshot",
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
    if (decided.code === "engine_absent")
      throw problem({ status: 503, code: "engine_absent", detail: decided.reason, decision: decided, headers: { "retry-after": "1" } });
    if (applied !== "allow") {
      const [holder, way] = [notHolder(decided), noWay(decided)];
      if (holder !== undefined)
        throw problem({ status: 403, code: holder.code, detail: holder.reason, fix: holder.fix, decision: decided });
      if (way !== undefined) throw problem({ status: 400, code: way.code, detail: way.reason, fix: way.fix, decision: decided });
      if (decided.code === "invalid_call") throw problem({ status: 400, code: "invalid_call", detail: decided.reason, decision: decided });
    }
    return reply({
      ...{ allowed: applied === "allow", new_token: granted?.phase_token ?? null, token_expires_at: granted?.expires_at ?? null },
      ...{ phase: now, allowed_tools: toolsIn(service, now), blockers, notes, sequence, replayed, directives, decision: decided },
    });
  },
});
