import { definePlugin } from "@bylaw/kernel";
import { COORDINATOR_TYPES, coordinatorGuard, coordinatorState, ownWorkGuard } from "@bylaw/log";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { plannedTasks } from "./planned-tasks.ts";

/** Refuses an event that cannot happen in the life cycle of spec/003's coordinator before it is recorded. */
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
          "The ids of the plan's tasks: an event that names another is refused, and an end before all are complete. Left out: any id passes",
        ),
      own_work: z
        .enum(["refuse", "allow"])
        .default("refuse")
        .describe("What comes of a critic or an auditor who was dispatched as a developer of the same task"),
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
