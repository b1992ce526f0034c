import type { Refusal } from "../auth/refusal.ts";
import { z } from "@hono/zod-openapi";
import { omitUndefined } from "@bylaw/kernel";
import { claimFault } from "@bylaw/plugin-tasks";
import { problem, type Problem } from "../http/problem.ts";
import { defineRoute, reply } from "../http/route.ts";
import { agentId, capability, requestId, taskId } from "../http/shapes.ts";
import { admitClaim } from "../auth/admission.ts";
import { guideTo } from "../behaviors/guide-to.ts";
import type { Service } from "../service/service.ts";
import { claim } from "../tasks/claims.ts";
import { guideShape } from "./contract.ts";

const claimed = z.object({
  task: z.object({
    id: z.string(),
    agent_id: z.string(),
    title: z.string().nullable(),
    capabilities: z.array(z.string()),
    dependencies: z.array(z.string()),
    assigned_phase: z.string().nullable(),
    fence: z.int(),
    lease_until: z.string(),
  }),
  phase_token: z.string(),
  phase: z.string().nullable(),
  allowed_tools: z.array(z.string()),
  token_expires_at: z.string(),
  contract: z.object({ name: z.string(), version: z.string(), digest: z.string() }),
  ...guideShape,
});

export const claimTask = defineRoute({
  method: "post",
  path: "/tasks/claim",
  summary: "Claim a task",
  description:
    "Claims the oldest available task that the agent can do, or the named one. An agent that holds it already gets its claim again; with a phase token, it can get only that one.",
  tags: ["tasks"],
  callers: ["enrolled", "agent"],
  waits: true,
  body: z.strictObject({
    agent_id: agentId,
    capabilities: z.array(capability).max(1_000).optional(),
    task_id: taskId.optional(),
    wait_ms: z
      .int()
      .min(0)
      .max(600_000)
      .default(0)
      .openapi({ description: "How long to wait for a task. The server has its own limit" }),
    request_id: requestId.optional(),
  }),
  answers: {
    200: { description: "The task and the token for its phase", schema: claimed },
    404: { description: "No task can be claimed. For a named task, `code` says why" },
  },
  async handle(request) {
    const { service, caller, route, request_id, signal } = request;
    const { agent_id: agent, capabilities, task_id, wait_ms } = request.body;
    const own = caller.agent;
    const refuse = async (detail: string, fix: string, of: Partial<Refusal>): Promise<Error> => {
      const credential = caller.kind === "agent" ? "agent" : "enrol";
      const refusal = {
        status: 403,
        code: "BYLAW_CREDENTIAL_UNFIT",
        credential,
        detail,
        fix,
      } as const;
      return service.refused({ ...refusal, ...of }, { route, task: task_id });
    };
    // Recorded without a name, because a name in the log counts as an agent's, and agents cannot answer questions.
    if ([agent, ...(own === undefined ? [] : [own])].some((name) => service.isOperatorName(name)))
      throw await refuse("`agent_id` is the name of an operator", "Claim under another name.", {});
    if (own !== undefined && own !== agent)
      throw await refuse(
        "`agent_id` differs from the agent that the credential is for",
        "Claim in your own name.",
        { agent: own },
      );
    // A request with a token was counted already. The token is valid for its own task.
    const task = task_id ?? (caller.kind === "agent" ? caller.task : undefined);
    if (caller.kind === "agent") await admitClaim({ service, caller, route }, task ?? caller.task);
    else service.limit?.(agent);
    const found = await claim(service, {
      agent,
      wait_ms,
      signal,
      ...omitUndefined({ capabilities, task, request_id }),
    });
    if (found === undefined) throw notGiven(service, { agent, task, capabilities });
    const { held, granted } = found;
    const { name, version, digest } = service.contract;
    return reply({
      task: {
        id: held.task,
        agent_id: agent,
        title: held.title,
        capabilities: held.capabilities,
        dependencies: held.dependencies,
        assigned_phase: held.phase,
        fence: held.fence,
        lease_until: held.lease_until,
      },
      phase_token: granted.phase_token,
      phase: granted.phase,
      allowed_tools: granted.allowed_tools,
      token_expires_at: granted.expires_at,
      contract: { name, version, digest },
      ...guideTo(service, granted.phase, { agent, task: held.task }),
    });
  },
});

/** The problem of an agent that gets no task, or not the one it named. */
function notGiven({ run, settings }: Service, { task, agent, capabilities = [] }: Wanted): Problem {
  const headers = { "retry-after": "1" };
  const fault =
    task === undefined ? undefined : claimFault(run.view, { task, agent, capabilities });
  if (fault !== undefined) {
    const { code, reason, fix } = fault;
    return code === "task_over"
      ? problem({ status: 409, code, detail: reason, fix })
      : problem({ status: 404, code, detail: reason, fix, headers });
  }
  return problem({
    status: 404,
    code: "task_none_ready",
    detail: "No task that this agent can do is available",
    fix: `Ask again later, or wait for a task with \`wait_ms\` of at most ${settings.tasks.longest_wait_ms}.`,
    headers,
  });
}

interface Wanted {
  readonly agent: string;
  readonly task: string | undefined;
  readonly capabilities: readonly string[] | undefined;
}
