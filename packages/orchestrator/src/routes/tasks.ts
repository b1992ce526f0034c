import { createHash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { omitUndefined } from "@bylaw/kernel";
import { currentPhases, phaseOf, treeEntries } from "@bylaw/log";
import { createTasks, taskBoard, type Task } from "@bylaw/plugin-tasks";
import { defineRoute, reply } from "../http/route.ts";
import { capability, jsonObject, taskId } from "../http/shapes.ts";
import { admitAgent } from "../auth/admission.ts";
import { changeOnce } from "../service/change-once.ts";
import type { Service } from "../service/service.ts";

const STATES = [
  "blocked",
  "ready",
  "claimed",
  "waiting",
  "escalated",
  "failed",
  "completed",
] as const;

const taskShape = z
  .object({
    id: z.string(),
    title: z.string().nullable(),
    status: z.enum(STATES),
    phase: z.string().nullable(),
    agent_id: z.string().nullable(),
    dependencies: z.array(z.string()),
    unmet_dependencies: z.int(),
    capabilities: z.array(z.string()),
    fence: z.int(),
    lease_until: z.string().nullable(),
    lost_agents: z.int(),
    blockers: z.array(
      z.object({ code: z.string(), reason: z.string(), fix: z.string().optional() }),
    ),
    prd_state: jsonObject.nullable(),
  })
  .openapi("Task");

/** A task in the form of an answer. */
const taskAnswer = ({ run }: Pick<Service, "run">, task: Task): z.output<typeof taskShape> => ({
  id: task.id,
  title: task.title,
  status: task.status,
  phase: phaseOf(run.view(currentPhases), task.id) ?? null,
  agent_id: task.agent,
  dependencies: [...task.dependencies],
  unmet_dependencies: task.unmet,
  capabilities: [...task.capabilities],
  fence: task.fence,
  lease_until: task.until,
  lost_agents: task.lapses,
  blockers: task.blockers.map((one) => ({ ...one })),
  prd_state: task.prd_state,
});

const newTask = z.strictObject({
  id: taskId.optional(),
  title: z.string().max(500).optional(),
  dependencies: z.array(taskId).max(10_000).optional(),
  capabilities: z.array(capability).max(64).optional(),
});

export const createTasksRoute = defineRoute({
  method: "post",
  path: "/tasks",
  summary: "Create tasks",
  description:
    "Creates one task, or several, each after those that it depends on. Creating the same task again returns it unchanged.",
  tags: ["tasks"],
  callers: ["operator"],
  body: z.union([z.strictObject({ tasks: z.array(newTask).min(1).max(1_000) }), newTask]),
  answers: { 201: { description: "The tasks", schema: z.object({ tasks: z.array(taskShape) }) } },
  async handle({ service, body, request_id }) {
    const wanted = "tasks" in body ? body.tasks : [body];
    const tasks = [];
    for (const [index, task] of wanted.entries()) {
      const id =
        task.id ??
        (request_id === undefined ? undefined : `task-${idOf(service, request_id, index)}`);
      tasks.push(taskAnswer(service, await service.tasks.create(omitUndefined({ ...task, id }))));
    }
    return reply({ tasks }, { status: 201 });
  },
});

const idOf = ({ run }: Service, request_id: string, index: number): string =>
  createHash("sha256")
    .update(JSON.stringify([run.run, request_id, index]))
    .digest("hex")
    .slice(0, 32);

export const listTasks = defineRoute({
  method: "get",
  path: "/tasks",
  summary: "List tasks",
  tags: ["tasks"],
  callers: ["operator"],
  query: z.strictObject({
    status: z.enum(STATES).optional(),
    limit: z.coerce.number().int().min(1).max(500).default(100),
    cursor: z
      .string()
      .max(256)
      .optional()
      .openapi({ description: "The `next` of the previous page" }),
  }),
  answers: {
    200: {
      description: "A page of tasks, by id",
      schema: z.object({ tasks: z.array(taskShape), next: z.string().nullable() }),
    },
  },
  async handle({ service, query: { status, limit, cursor } }) {
    await service.run.catchUp();
    const tasks: z.output<typeof taskShape>[] = [];
    for (const [id, task] of treeEntries(service.run.view(taskBoard).tasks)) {
      if (
        (cursor !== undefined && id <= cursor) ||
        (status !== undefined && task.status !== status)
      )
        continue;
      if (tasks.length === limit) return reply({ tasks, next: tasks.at(-1)?.id ?? null });
      tasks.push(taskAnswer(service, { id, ...task }));
    }
    return reply({ tasks, next: null });
  },
});

export const getTask = defineRoute({
  method: "get",
  path: "/tasks/{id}",
  summary: "Read a task",
  tags: ["tasks"],
  callers: ["operator", "agent"],
  params: z.strictObject({ id: taskId }),
  answers: { 200: { description: "The task", schema: taskShape } },
  async handle({ service, caller, route, params: { id } }) {
    if (caller.kind === "agent") await admitAgent({ service, caller, route }, { task: id });
    return reply(taskAnswer(service, await service.tasks.get(id)));
  },
});

export const retryTask = defineRoute({
  method: "post",
  path: "/tasks/{id}/retry",
  summary: "Retry a task",
  tags: ["tasks"],
  callers: ["operator"],
  params: z.strictObject({ id: taskId }),
  body: z.strictObject({ reason: z.string().max(2_000).optional() }),
  answers: { 200: { description: "The task", schema: taskShape } },
  async handle(request) {
    const { service, caller, params, body } = request;
    const { id } = params;
    const content = { route: "retry", id, reason: body.reason ?? null };
    await changeOnce(request, { content, types: ["task_retried"] }, (run) =>
      createTasks(run, service.contract).retry({
        task: id,
        by: caller.name,
        ...omitUndefined({ reason: body.reason }),
      }),
    );
    return reply(taskAnswer(service, await service.tasks.get(id)));
  },
});
