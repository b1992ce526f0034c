import { definePlugin } from "@bylaw/kernel";
import { COORDINATOR_TYPES } from "@bylaw/log";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { coordinatorGuard, ownWorkGuard } from "./life/guards.ts";
import { coordinatorState } from "./life/projection.ts";
import { plannedTasks } from "./planned-tasks.ts";

/** Refuses an event that is impossible in the life cycle of spec/003's coordinator, before it is recorded. */
export const coordinator = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: z
    .strictObject({
      tasks: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .describe(
          "The ids of the plan's tasks. An event about another task is refused, and so is completion before all of them are complete. Default: any id passes",
        ),
      own_work: z
        .enum(["refuse", "allow"])
        .default("refuse")
        .describe("Whether a developer of a task may also be its critic or auditor"),
    })
    .prefault({}),
  apply(kernel, { tasks, own_work }) {
    for (const type of COORDINATOR_TYPES) kernel.event(type);
    kernel.projection(coordinatorState);
    kernel.guard("life-cycle", coordinatorGuard);
    if (own_work === "refuse") kernel.guard("own-work", ownWorkGuard);
    if (tasks !== undefined) kernel.guard("planned-tasks", plannedTasks(tasks));
  },
});
