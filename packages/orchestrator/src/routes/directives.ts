import { z } from "@hono/zod-openapi";
import { omitUndefined, type JsonObject } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { openCalls } from "@bylaw/plugin-trigger";
import { completeDirective, openDirectives } from "@bylaw/plugin-phases";
import { problem, type Problem } from "../http/problem.ts";
import { defineRoute, reply } from "../http/route.ts";
import { agentId, jsonObject, taskId } from "../http/shapes.ts";
import { admitAgent } from "../auth/admission.ts";
import type { Service } from "../service/service.ts";
import { changeOnce } from "../service/change-once.ts";
import { leaseDirective } from "../service/directive-lease.ts";

const directiveId = z.string().min(1).max(512);

/** Agents to start because other agents called them. */
const openTriggers = ({ run, kernel }: Pick<Service, "run" | "kernel">) =>
  kernel.declared.plugins.includes("@bylaw/plugin-trigger")
    ? openCalls(run.view).map(({ sequence, ...call }) => ({
        directive: `trigger-${sequence}`,
        action: "trigger" as const,
        ...call,
      }))
    : [];

const returned = (
  run: Run,
  { agent, task }: ReturnType<typeof openTriggers>[number],
  ok: boolean,
): Promise<unknown> =>
  run.record([
    { event_type: "agent_returned", agent_id: agent, task_id: task, details: { agent, ok } },
  ]);

export const listDirectives = defineRoute({
  method: "get",
  path: "/directives",
  summary: "List open directives",
  description:
    "Work that is not reported as done: after transitions, such as starting reviewers, and agents that others called with `trigger`.",
  tags: ["directives"],
  callers: ["operator", "agent"],
  query: z.strictObject({ task_id: taskId.optional() }),
  answers: {
    200: { description: "Open directives", schema: z.object({ directives: z.array(jsonObject) }) },
  },
  async handle({ service, caller, route, query: { task_id } }) {
    const task = task_id ?? (caller.kind === "agent" ? caller.task : undefined);
    if (caller.kind === "agent" && task !== undefined)
      await admitAgent({ service, caller, route }, { task });
    await service.run.catchUp();
    const { view } = service.run;
    const directives = [...openDirectives(view), ...openTriggers(service)];
    return reply({
      directives: directives.filter((one) => task === undefined || one.task === task),
    });
  },
});

export const reportDirective = defineRoute({
  method: "post",
  path: "/directives/{id}",
  summary: "Report a directive as done",
  description:
    "For a review, with the verdict of the reviewer. An agent that worked on the task cannot review it.",
  tags: ["directives"],
  callers: ["operator"],
  params: z.strictObject({ id: directiveId }),
  body: z.strictObject({
    task_id: taskId.optional(),
    ok: z.boolean(),
    agent: agentId.optional(),
    verdict: z.enum(["approved", "rejected"]).optional(),
    blocking_issues: z.array(z.string().max(2_000)).max(200).optional(),
    summary: z.string().max(10_000).optional(),
  }),
  answers: {
    200: {
      description: "The recorded event",
      schema: z.object({ directive: z.string(), sequence: z.int().nullable() }),
    },
  },
  async handle(request) {
    const {
      service,
      params: { id },
    } = request;
    const { task_id, ...report } = request.body;
    const about = { task: task_id ?? null, report: omitUndefined(report) as JsonObject };
    const content = { route: "directives", id, ...about };
    const change = { content, types: ["directive_completed", "agent_returned"] };
    const { sequence } = await changeOnce(request, change, async (run) => {
      await run.catchUp();
      const called = openTriggers(service).find((one) => one.directive === id);
      if (called !== undefined) return returned(run, called, report.ok);
      const open = openDirectives(run.view).find(
        (one) => one.directive === id && (task_id === undefined || one.task === task_id),
      );
      if (open === undefined) throw notOpen();
      return completeDirective(run, {
        task: open.task,
        directive: id,
        ...omitUndefined(report),
        ok: report.ok,
      });
    });
    return reply({ directive: id, sequence });
  },
});

export const takeDirective = defineRoute({
  method: "post",
  path: "/directives/{id}/lease",
  summary: "Take a directive for a while",
  description:
    "Makes sure that only one of several programs carries it out. The same `holder` can renew its lease. With `max_attempts`, this begins an attempt. The server counts the attempts of all holders.",
  tags: ["directives"],
  callers: ["operator"],
  params: z.strictObject({ id: directiveId }),
  body: z.strictObject({
    holder: z.string().min(1).max(256),
    lease_ms: z.int().min(1_000).max(600_000).default(60_000),
    max_attempts: z.int().min(1).max(100).optional(),
  }),
  answers: {
    200: {
      description: "The lease",
      schema: z.object({ directive: z.string(), lease_until: z.string() }),
    },
    409: { description: "Another holder has it, or all its attempts were used" },
  },
  async handle({ service, params: { id: directive }, body }) {
    await service.run.catchUp();
    const open = [...openDirectives(service.run.view), ...openTriggers(service)];
    if (!open.some((one) => one.directive === directive)) throw notOpen();
    return reply({ directive, lease_until: await leaseDirective(service, { directive, ...body }) });
  },
});

const notOpen = (): Problem =>
  problem({
    status: 404,
    code: "BYLAW_DIRECTIVE_MISSING",
    detail: "No such directive is open",
    fix: "See GET /directives.",
  });
