import { definePlugin } from "@bylaw/kernel";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { checkCompletion, checkHolder } from "./check.ts";
import { CODES } from "./codes.ts";
import { EVENT_TYPES } from "./events.ts";
import { faultOf, holderFault } from "./fault.ts";
import { taskBoard } from "./task-board.ts";

/** Gives tasks to agents one at a time, and denies work on a task by anyone who does not hold it. */
export const tasks = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: z
    .strictObject({
      claims: z
        .enum(["required", "off"])
        .default("required")
        .describe(
          "Whether an agent must hold the task for which it calls a tool or requests a transition",
        ),
    })
    .prefault({}),
  neverSoftened: true,
  codes: CODES,
  apply(kernel, { claims }) {
    for (const type of EVENT_TYPES) kernel.event(type);
    kernel.projection(taskBoard);
    kernel.guard("tasks", (view, event) => faultOf(view(taskBoard), event));
    const required = claims === "required";
    kernel.guard("holder", (view, event) =>
      required ? holderFault(view(taskBoard), event) : undefined,
    );
    kernel.hooks.beforeToolCall.tap("holder", (call, view) =>
      required ? checkHolder(call, view) : undefined,
    );
    kernel.hooks.onTransition.tap("holder", (request, view) =>
      required ? checkHolder(request, view) : checkCompletion(request, view),
    );
  },
});
