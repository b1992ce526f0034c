import { z } from "@hono/zod-openapi";
import { omitUndefined } from "@bylaw/kernel";
import { badRequest } from "../http/problem.ts";
import { defineRoute, reply } from "../http/route.ts";
import { jsonObject, taskId } from "../http/shapes.ts";
import { admitAgent } from "../auth/admission.ts";

export const snapshot = defineRoute({
  method: "get",
  path: "/state/snapshot",
  summary: "Read the state of a task",
  description:
    "What the contract lists in `snapshot_includes`, under 100 KB a page; `next` is the cursor of the next page.",
  tags: ["state"],
  callers: ["agent", "operator"],
  query: z.strictObject({
    task_id: taskId.optional(),
    cursor: z
      .string()
      .regex(/^\d{1,6}$/)
      .optional(),
  }),
  answers: {
    200: {
      description: "A page of the state",
      schema: z.object({
        task_id: z.string(),
        task_dependencies: z.array(z.string()).optional(),
        completed_tasks: z.array(z.string()).optional(),
        current_phase: z.string().nullable().optional(),
        blockers: z
          .array(z.object({ code: z.string(), reason: z.string(), fix: z.string().optional() }))
          .optional(),
        prd_state: z.union([jsonObject, z.null()]).optional(),
        next: z.string().nullable(),
      }),
    },
  },
  async handle({ service, caller, route, query: { task_id, cursor } }) {
    const task = task_id ?? (caller.kind === "agent" ? caller.task : undefined);
    if (task === undefined) throw badRequest("The query needs `task_id`");
    if (caller.kind === "agent") await admitAgent({ service, caller, route }, { task });
    return reply({
      task_id: task,
      ...(await service.tasks.snapshot({ task, ...omitUndefined({ cursor }) })),
    });
  },
});
